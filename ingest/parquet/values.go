package parquet

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"slices"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/activepebbles/pebbles/ingest"
)

// Names returns the columns of a Parquet file whose types [Values] supports.
func Names(f io.ReaderAt, size int64) (names []string, err error) {
	file, err := open(f, size)
	if err != nil {
		return nil, err
	}
	err = guard(func() error {
		for _, field := range file.Schema().Fields() {
			if _, err := valueOf(field); err != nil {
				return err
			}
			names = append(names, field.Name())
		}
		return nil
	})
	return names, err
}

// Values gives the rows of Parquet files whose columns are known only at run time: the values of the named columns, in
// this order. A value is nil, bool, int64, uint64, float64 or string. Dates, timestamps (RFC 3339, UTC) and decimals
// are strings. Other columns, such as lists, are an error of Open. A row is valid until the next one. Files are cut and
// limited as with [Rows].
func Values(names ...string) ingest.Format[[]any] {
	find := func(f io.ReaderAt, size int64) (starts []int64, err error) {
		file, err := open(f, size)
		if err == nil {
			_, err = chosen(file, names)
		}
		if err != nil {
			return nil, err
		}
		for i := range file.RowGroups() {
			starts = append(starts, start(file, i))
		}
		slices.Sort(starts)
		return starts, nil
	}
	return ingest.Blocks("parquet", find, func(r ingest.Range) iter.Seq2[[]any, error] {
		var p *picker
		return ranged(r, func(file *parquet.File) (wanted map[string]bool, err error) {
			p, err = chosen(file, names)
			wanted = map[string]bool{}
			for _, name := range names {
				wanted[name] = true
			}
			return wanted, err
		}, func(of parquet.RowGroup, yield func([]any) bool) (bool, error) { return p.group(of, yield) })
	})
}

// A picker makes rows of the wanted columns.
type picker struct {
	places []int // by column of the file: its place in the row; -1 for columns that are not wanted
	values []func(parquet.Value) any
	row    []any
}

// chosen finds the columns of a file.
func chosen(file *parquet.File, names []string) (p *picker, err error) {
	p = &picker{row: make([]any, len(names))}
	err = guard(func() error {
		found := 0
		for _, column := range file.Schema().Fields() {
			at, leaves := slices.Index(names, column.Name()), leavesOf(column)
			value := func(parquet.Value) any { return nil }
			if at >= 0 {
				found++
				if value, err = valueOf(column); err != nil {
					return err
				}
			}
			for range leaves {
				p.places, p.values = append(p.places, at), append(p.values, value)
			}
		}
		if found < len(names) {
			return fmt.Errorf("the columns %q are not all there; the file has %s: name one of these", names, columnNames(file))
		}
		return nil
	})
	return p, err
}

func leavesOf(n parquet.Node) (all int) {
	if n.Leaf() {
		return 1
	}
	for _, f := range n.Fields() {
		all += leavesOf(f)
	}
	return all
}

// group yields the rows of a row group, and reports whether more are wanted.
func (p *picker) group(of parquet.RowGroup, yield func([]any) bool) (more bool, err error) {
	rows := of.Rows()
	defer rows.Close()
	batch := make([]parquet.Row, batchRows)
	return drained(of.NumRows(), func() (n int, err error) {
		err = guard(func() (err error) { n, err = rows.ReadRows(batch); return err })
		return n, err
	}, func(i int) bool {
		clear(p.row)
		for _, v := range batch[i] {
			if c := v.Column(); c >= 0 && c < len(p.places) && p.places[c] >= 0 && !v.IsNull() {
				p.row[p.places[c]] = p.values[c](v)
			}
		}
		return yield(p.row)
	})
}

var errColumn = errors.New("it is not a number, text, truth value, date, timestamp or decimal: leave the column out")

// valueOf returns the conversion of a column's values to those of Values.
func valueOf(f parquet.Field) (func(parquet.Value) any, error) {
	bad := fmt.Errorf("column %q: %w", f.Name(), errColumn)
	if !f.Leaf() || f.Repeated() {
		return nil, bad
	}
	if l := f.Type().LogicalType(); l != nil && l.Value != nil {
		switch l := l.Value.(type) {
		case *format.DateType:
			return func(v parquet.Value) any {
				return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
			}, nil
		case *format.TimestampType:
			return timestamp(l), nil
		case *format.DecimalType:
			return decimal(f.Type().Kind(), int(l.Scale)), nil
		case *format.IntType:
			if !l.IsSigned {
				return unsigned(f.Type().Kind()), nil
			}
		case *format.StringType, *format.EnumType, *format.JsonType:
		default:
			return nil, bad
		}
	}
	switch f.Type().Kind() {
	case parquet.Boolean:
		return func(v parquet.Value) any { return v.Boolean() }, nil
	case parquet.Int32:
		return func(v parquet.Value) any { return int64(v.Int32()) }, nil
	case parquet.Int64:
		return func(v parquet.Value) any { return v.Int64() }, nil
	case parquet.Float:
		return func(v parquet.Value) any { return float64(v.Float()) }, nil
	case parquet.Double:
		return func(v parquet.Value) any { return v.Double() }, nil
	case parquet.ByteArray:
		return func(v parquet.Value) any { return string(v.ByteArray()) }, nil
	}
	return nil, bad
}

func unsigned(k parquet.Kind) func(parquet.Value) any {
	if k == parquet.Int32 {
		return func(v parquet.Value) any { return uint64(v.Uint32()) }
	}
	return func(v parquet.Value) any { return v.Uint64() }
}

func timestamp(l *format.TimestampType) func(parquet.Value) any {
	layout := "2006-01-02T15:04:05.999999999"
	if l.IsAdjustedToUTC {
		layout = time.RFC3339Nano
	}
	of := func(n int64) time.Time { return time.Unix(n/1e9, n%1e9) }
	switch l.Unit.Value.(type) {
	case *format.MilliSeconds:
		of = time.UnixMilli
	case *format.MicroSeconds:
		of = time.UnixMicro
	}
	return func(v parquet.Value) any { return of(v.Int64()).UTC().Format(layout) }
}

func decimal(k parquet.Kind, scale int) func(parquet.Value) any {
	return func(v parquet.Value) any {
		n := new(big.Int)
		switch k {
		case parquet.Int32:
			n.SetInt64(int64(v.Int32()))
		case parquet.Int64:
			n.SetInt64(v.Int64())
		default: // two's complement, the highest byte first
			b := v.ByteArray()
			if n.SetBytes(b); len(b) > 0 && b[0] >= 0x80 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
		return new(big.Rat).SetFrac(n, power).FloatString(scale)
	}
}
