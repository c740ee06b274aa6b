package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/activepebbles/pebbles/ingest"
)

// Rows gives the rows of Parquet files as structs of type T, whose fields are columns by the rules of parquet-go: by
// name, or by tags such as `parquet:"name,optional"`. Only the columns of T are read. A column of T that a file does
// not have is an error, unless it is optional. So is a field that cannot hold all values of its column's type: whole
// numbers may become wider, float32 may become float64, and a null the zero of a field that is not optional. Files are
// cut between row groups, so one rank reads a file of a single row group. The caller owns the rows.
//
// Memory is some pages of each column. A page has at most RowLimit bytes after decompression, and at most as many
// values. Rows checks that before the library reads a row group; for the check it decompresses pages once more, unless
// they are compressed by snappy or not at all.
func Rows[T any]() ingest.Format[T] {
	return ingest.Blocks("parquet", find[T], read[T])
}

// find returns the offsets of the row groups of a file, if it has rows of type T.
func find[T any](f io.ReaderAt, size int64) (starts []int64, err error) {
	wanted, err := schemaOf[T]()
	if err != nil {
		return nil, err
	}
	file, err := open(f, size)
	if err == nil {
		err = fits(wanted, file)
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

// schemaOf returns the schema of rows of a type, or an error for a type without one.
func schemaOf[T any]() (schema *parquet.Schema, err error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("rows of type %v are not supported; expected a struct, whose fields are columns", t)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("rows of type %v are not supported: %v", t, p)
		}
	}()
	return parquet.SchemaOf(*new(T)), nil
}

func open(f io.ReaderAt, size int64) (file *parquet.File, err error) {
	if err := footerFits(f, size); err != nil {
		return nil, err
	}
	err = guard(func() error {
		file, err = parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	return file, err
}

// footerFits checks the length of the footer, because the library would allocate any length of a damaged file.
func footerFits(f io.ReaderAt, size int64) error {
	const head = int64(len("PAR1"))
	var tail [8]byte // the footer's length, and PAR1 again
	if size < head+int64(len(tail)) {
		return errors.New("the file is too short to be a Parquet file: name the file's format, or write it again")
	}
	if _, err := f.ReadAt(tail[:], size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	if footer := int64(binary.LittleEndian.Uint32(tail[:])); string(tail[4:]) == "PAR1" &&
		footer > size-int64(len(tail))-head {
		return fmt.Errorf("the footer claims %d bytes of a file of %d: the file is damaged, write it again", footer,
			size)
	}
	return nil
}

// start returns the offset of the first page of a row group.
func start(file *parquet.File, group int) int64 {
	first := file.Size()
	for _, c := range file.Metadata().RowGroups[group].Columns {
		first = min(first, c.MetaData.DataPageOffset)
		if at := c.MetaData.DictionaryPageOffset; at > 0 {
			first = min(first, at)
		}
	}
	return first
}

// guard turns a panic of the library, which some damaged files cause, into an error.
func guard(call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the file is damaged, or no field of the type fits its column: %v", p)
		}
	}()
	return call()
}

// batchRows is the number of rows to read at a time.
const batchRows = 128

// read yields the rows of row groups that begin in a range.
func read[T any](r ingest.Range) iter.Seq2[T, error] {
	return ranged(r, func(*parquet.File) (map[string]bool, error) { return columns[T](), nil }, group[T])
}

// ranged yields the rows of row groups that begin in a range, which group makes from the wanted columns.
func ranged[T any](r ingest.Range, wanted func(*parquet.File) (map[string]bool, error),
	group func(of parquet.RowGroup, yield func(T) bool) (more bool, err error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		pages := pager{file: r.File, size: r.Size, limit: r.RowLimit}
		defer pages.close()
		file, err := open(r.File, r.Size)
		if err == nil {
			pages.schema = file.Schema()
			pages.wanted, err = wanted(file)
		}
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		for i := range file.RowGroups() {
			at := start(file, i)
			if at < r.From || at >= r.To {
				continue
			}
			if r.Block(at); !checked(file, i, &pages, group, yield) {
				return
			}
		}
	}
}

// checked yields the rows of a row group whose pages are good, and reports whether more are wanted.
func checked[T any](file *parquet.File, i int, pages *pager, group func(parquet.RowGroup, func(T) bool) (bool, error),
	yield func(T, error) bool) (more bool) {
	err := pages.group(file.Metadata().RowGroups[i])
	if err == nil {
		more, err = group(file.RowGroups()[i], func(v T) bool { return yield(v, nil) })
	}
	if err == nil {
		return more
	}
	var none T
	return yield(none, &ingest.BlockError{At: start(file, i), Err: fmt.Errorf("row group %d: %w", i+1, err)})
}

// group yields the rows of a row group, and reports whether more are wanted.
func group[T any](of parquet.RowGroup, yield func(T) bool) (more bool, err error) {
	var rows *parquet.GenericReader[T]
	if err := guard(func() error { rows = parquet.NewGenericRowGroupReader[T](of); return nil }); err != nil {
		return false, err
	}
	defer rows.Close()
	batch := make([]T, batchRows)
	return drained(of.NumRows(), func() (n int, err error) {
		clear(batch)
		err = guard(func() (err error) { n, err = rows.Read(batch); return err })
		return n, err
	}, func(i int) bool { return yield(batch[i]) })
}

// drained yields the rows of a row group by their places in a batch, and reports whether more are wanted. next reads a
// batch; its error may be io.EOF with the last rows.
func drained(rows int64, next func() (int, error), yield func(i int) bool) (more bool, err error) {
	for given := int64(0); ; {
		n, err := next()
		for i := range n {
			if !yield(i) {
				return false, nil
			}
		}
		given += int64(n)
		switch {
		case err == io.EOF && given < rows:
			return false, fmt.Errorf("it ends after %d rows, and has %d by the footer: the file is damaged", given, rows)
		case err == io.EOF:
			return true, nil
		case err != nil:
			return false, err
		case n == 0:
			return false, errors.New("it gives no rows and no end: the file is damaged")
		}
	}
}

// columns returns the names of T's columns.
func columns[T any]() map[string]bool {
	var v T
	all := map[string]bool{}
	for _, path := range parquet.SchemaOf(v).Columns() {
		all[strings.Join(path, ".")] = true
	}
	return all
}

// fits returns an error for a schema if the file lacks one of its columns or has it with another type, or if the file
// has none of its columns.
func fits(wanted *parquet.Schema, file *parquet.File) error {
	return guard(func() error {
		shared := 0
		for _, path := range wanted.Columns() {
			leaf, _ := wanted.Lookup(path...)
			has, there := file.Schema().Lookup(path...)
			if !there && leaf.MaxDefinitionLevel == 0 {
				return fmt.Errorf("no column %q; the file has %s: name one of these by a parquet tag, or make the field "+
					"optional", strings.Join(path, "."), columnNames(file))
			}
			if !there {
				continue
			}
			if shared++; !holds(leaf.Node.Type(), has.Node.Type()) {
				return fmt.Errorf("the column %q has %v in the file, and the field has %v, which does not hold all of "+
					"its values: give the field the type of the column", strings.Join(path, "."), has.Node.Type(),
					leaf.Node.Type())
			}
		}
		if shared == 0 {
			return fmt.Errorf("no field of the type is a column; the file has %s: name one of these by a parquet tag",
				columnNames(file))
		}
		return nil
	})
}

// holds reports whether a type can hold all values of a column of another type. The library would convert others, too:
// numbers to text or to truth values, and a number that does not fit to another number.
func holds(field, column parquet.Type) bool {
	if column.Kind() == parquet.Int96 {
		return true // a time, which the library converts
	}
	bits, minus := integer(column)
	grows := bits > 0 && bits < 32 || bits == 32 && minus // the library takes the 32nd bit for a sign
	if wide, signed := integer(field); wide > 0 {
		return bits == wide && minus == signed || bits < wide && (signed || !minus) && grows
	}
	switch have := column.Kind(); field.Kind() {
	case parquet.Double:
		return have == parquet.Double || have == parquet.Float || grows
	case parquet.FixedLenByteArray:
		return have == parquet.FixedLenByteArray && field.Length() == column.Length()
	case parquet.ByteArray:
		return have == parquet.ByteArray || have == parquet.FixedLenByteArray
	default:
		return have == field.Kind()
	}
}

// integer returns the width in bits of a type of whole numbers, and whether it is signed; 0 for other types.
func integer(t parquet.Type) (bits int, signed bool) {
	if l := t.LogicalType(); l != nil {
		if n, is := l.Value.(*format.IntType); is {
			return int(n.BitWidth), n.IsSigned
		}
	}
	switch t.Kind() {
	case parquet.Int32:
		return 32, true
	case parquet.Int64:
		return 64, true
	default:
		return 0, false
	}
}

func columnNames(file *parquet.File) string {
	var all []string
	for _, path := range file.Schema().Columns() {
		all = append(all, strconv.Quote(strings.Join(path, ".")))
	}
	if text := strings.Join(all, ", "); len(text) <= 400 {
		return text
	}
	return fmt.Sprintf("%s and others", strings.Join(all[:min(len(all), 10)], ", "))
}
