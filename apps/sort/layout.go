package sort

import (
	"math"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/ingest"
)

// A layout encodes lines as strings whose bytes are in the wanted order: a key, an order for equal keys, and the rest.
// Lines with equal keys are in the order of the whole lines, as in GNU sort, or in the order of the files if only the
// first one is kept. Rows of tables become a key, a place and values, in the order of the files.
type layout struct {
	numeric, reverse, unique bool
	field                    int // of a line, from 1; 0 is the whole line
	table                    bool
}

// plain reports whether rows are unchanged lines.
func (l layout) plain() bool { return l.whole() && !l.reverse }

// whole reports whether the key of a line is the whole line.
func (l layout) whole() bool { return !l.table && l.field == 0 && !l.numeric }

// line appends the row of a line.
func (l layout) line(dst, line []byte, at ingest.Place) []byte {
	switch {
	case l.plain():
		return append(dst, line...)
	case l.numeric:
		dst, _ = table.AppendNumber(dst, fieldOf(line, l.field), l.reverse)
	default:
		dst = table.AppendTextKey(dst, fieldOf(line, l.field), l.reverse)
	}
	switch {
	case l.whole():
		return dst
	case l.unique:
		dst = table.AppendPlace(dst, at)
	case l.reverse:
		return table.AppendTextKey(dst, line, true)
	}
	return append(dst, line...)
}

// appendTo appends the line of a row.
func (l layout) appendTo(dst []byte, row string) []byte {
	rest := row
	if !l.whole() {
		rest = row[len(l.key(row)):]
	}
	switch {
	case l.plain():
	case l.reverse && (l.whole() || !l.unique):
		dst, _ = table.TextKey(dst, rest, true)
		return dst
	case l.unique:
		rest = table.SkipPlace(rest)
	}
	return append(dst, rest...)
}

// record appends the row of a table's record.
func (l layout) record(dst []byte, r table.Record, column int) []byte {
	dst = table.AppendColumnKey(dst, r.Values[column], l.numeric, l.reverse)
	return table.Append(table.AppendPlace(dst, r.At), r.Values...)
}

// values appends the values of a table's row.
func (l layout) values(dst []table.Value, row string, columns int) []table.Value {
	dst, _ = table.Values(dst, table.SkipPlace(row[len(l.key(row)):]), columns)
	return dst
}

// key returns the key of a row.
func (l layout) key(row string) string {
	switch {
	case l.plain():
		return row
	case l.table:
		return row[:table.ColumnKeyLen(row, l.numeric, l.reverse)]
	case l.numeric:
		return row[:table.NumberLen(row)]
	}
	return row[:table.TextKeyLen(row, l.reverse)]
}

// fieldOf returns a field of a line, from 1, by the rules of "sort -b -k N,N": between blanks and tabs. Field 0 is the
// line.
func fieldOf(line []byte, number int) []byte {
	if number == 0 {
		return line
	}
	isBlank := func(b byte) bool { return b == ' ' || b == '\t' }
	for at := 0; ; number-- {
		for at < len(line) && isBlank(line[at]) {
			at++
		}
		begin := at
		for at < len(line) && !isBlank(line[at]) {
			at++
		}
		if number == 1 || at == len(line) && begin == at {
			return line[begin:at]
		}
	}
}

// shortMost is the length of the longest text that number reads.
const shortMost = 40

// number returns the decimal number at the beginning of a short text, exact to 53 bits, by another parser than that of
// keys; NaN for other texts.
func number(text string) float64 {
	if len(text) > shortMost || strings.ContainsAny(text, "xX_") {
		return math.NaN()
	}
	text = strings.TrimLeft(text, " \t\v\f\r")
	for end := len(text); end > 0; end-- {
		if x, err := strconv.ParseFloat(text[:end], 64); err == nil || math.IsInf(x, 0) {
			return x
		}
	}
	return math.NaN()
}
