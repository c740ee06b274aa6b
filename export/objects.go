package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// objects writes a table as lines of JSON.
type objects struct {
	setting
	names []string // of columns, encoded as JSON
	keys  [][]byte // names with the punctuation around them
	cells []cells
	line  []byte
}

func (w *objects) begin(batch []Column) error {
	before := "{"
	for _, c := range batch {
		key, err := appendText([]byte(before), c.Name)
		if err != nil {
			return fmt.Errorf("the name of column %q %w", c.Name, err)
		}
		w.names = append(w.names, c.Name)
		w.keys = append(w.keys, append(key, ':'))
		before = ","
	}
	return nil
}

func (w *objects) rows(batch []Column, rows int) error {
	w.cells = cellsOf(w.cells, batch)
	for i := range rows {
		line := w.line[:0]
		for j := range w.cells {
			var err error
			line = append(line, w.keys[j]...)
			if line, err = w.cells[j].appendJSON(line, i); err != nil {
				return fmt.Errorf("a value of column %q %w", w.names[j], err)
			}
		}
		w.line = append(line, '}', '\n')
		if _, err := w.Write(w.line); err != nil {
			return err
		}
	}
	return nil
}

func (w *objects) cut() error { return w.setting.cut() }

func (*objects) Close() error { return nil }

// appendJSON appends a value as JSON.
func (c *cells) appendJSON(dst []byte, i int) ([]byte, error) {
	switch {
	case c.isNull(i):
		return append(dst, "null"...), nil
	case c.uints != nil:
		return strconv.AppendUint(dst, c.uints[i], 10), nil
	case c.floats != nil:
		v := c.floats[i]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return dst, fmt.Errorf("is %v, which JSON does not have: choose another format, such as .csv", v)
		}
		return strconv.AppendFloat(dst, v, 'g', -1, 64), nil
	case c.ints != nil:
		return strconv.AppendInt(dst, c.ints[i], 10), nil
	}
	return appendText(dst, c.texts[i])
}

// appendText appends a string as JSON.
func appendText(dst []byte, text string) ([]byte, error) {
	plain := true
	for i := range len(text) {
		if b := text[i]; b < ' ' || b == '"' || b == '\\' || b >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain {
		return append(append(append(dst, '"'), text...), '"'), nil
	}
	if err := checkText(text); err != nil {
		return dst, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return dst, err
	}
	return append(dst, bytes.TrimSuffix(b.Bytes(), []byte{'\n'})...), nil
}

// checkText returns an error for text that a format of Unicode cannot hold.
func checkText(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return fmt.Errorf("is %.40q, which is not UTF-8: choose .csv or .tsv", text)
}
