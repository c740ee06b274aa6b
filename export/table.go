package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/pebble"
)

// CreateTable starts writing a table. Each rank gives its rows in batches of columns; the rows of ranks follow each
// other in the order of ranks. CreateTable is [Create] with the format of the name's extension: .csv, .tsv, .jsonl or
// .avro, or one that [Also] adds. .gz or .zst may follow .csv, .tsv and .jsonl. A name that ends with a slash, as in
// results.csv.zst/, is a folder of parts; otherwise all ranks write one file.
//
// Each rank writes at least one batch, which may have no rows. The first batch sets the names and types of the columns
// for all later ones, and must be alike on all ranks. A missing value is an empty field in text, and null in JSON.
// Numbers are exact: a float64 has the digits that are needed to read it back.
func CreateTable(r *pebble.Rank, name string, opts ...Option) (*Sink[[]Column], error) {
	o := optionsOf(opts)
	format, packing, err := o.tableFormat(name)
	if err != nil {
		return nil, err
	}
	o.oneFile, o.packing = !isFolder(name), packing
	return create(r, name, format, o)
}

// CheckTable returns the error that CreateTable would return for the name alone, without access to the disk.
func CheckTable(name string, opts ...Option) error {
	_, _, err := optionsOf(opts).tableFormat(name)
	return err
}

// WriteTable writes a whole table to w by one rank, or without a job, in the format of the name's extension.
func WriteTable(w io.Writer, name string, batch []Column, opts ...Option) error {
	format, by, err := optionsOf(opts).tableFormat(name)
	if err != nil {
		return err
	}
	to, err := newPacker(w, by, true)
	if err != nil {
		return err
	}
	rows, err := format.open(setting{Writer: to, cut: to.cut, first: true})
	if err == nil {
		err = rows.Write(batch)
	}
	if err == nil {
		err = rows.Close()
	}
	if err != nil {
		return err
	}
	return to.end()
}

// Also adds a format of tables to those of CreateTable. Its name is its extension. Package export/parquet has one. Its
// Writer gets one batch without rows, and then batches of BlockRows rows; the last may have fewer. The Writer must not
// keep a batch after Write returns.
func Also(format Format[[]Column]) Option {
	checked := tableOf(format.name, func(s setting) (tabular, error) {
		to, err := format.open(s)
		return &outside{to: to}, err
	})
	checked.own, checked.packs, checked.joint = format.own, format.packs, format.joint
	return option(func(o *options) { o.tables = append(o.tables, checked) })
}

// outside is a format of another package. It gets whole blocks.
type outside struct {
	to    Writer[[]Column]
	block []Column
}

func (o *outside) begin(batch []Column) error { return o.to.Write(slicesOf(batch, 0, 0)) }

func (o *outside) rows(batch []Column, rows int) error {
	if rows == BlockRows {
		return o.to.Write(batch)
	}
	if len(o.block) == 0 {
		o.block = emptied(o.block, batch)
	}
	for i := range o.block {
		o.block[i].append(batch[i])
	}
	return nil
}

func (o *outside) cut() error {
	if len(o.block) == 0 || o.block[0].Len() == 0 {
		return nil
	}
	err := o.to.Write(o.block)
	for i := range o.block {
		o.block[i] = o.block[i].Slice(0, 0)
	}
	return err
}

func (o *outside) Close() error {
	if err := o.cut(); err != nil {
		return err
	}
	return o.to.Close()
}

func isFolder(name string) bool { return name != "" && os.IsPathSeparator(name[len(name)-1]) }

// tables are this package's formats of tables.
var tables = []Format[[]Column]{
	tableOf("csv", func(s setting) (tabular, error) { return &separated{row: row{setting: s, comma: ','}}, nil }),
	tableOf("tsv", func(s setting) (tabular, error) { return &separated{row: row{setting: s, comma: '\t'}}, nil }),
	tableOf("jsonl", func(s setting) (tabular, error) { return &objects{setting: s}, nil }),
	avroTable(),
}

// tableFormat returns the format and the compression of a name.
func (o options) tableFormat(name string) (format Format[[]Column], p *packing, err error) {
	whole := strings.TrimRight(filepath.ToSlash(name), "/")
	extension := filepath.Ext(whole)
	for _, one := range packings {
		if extension == one.suffix {
			p, extension = one, filepath.Ext(strings.TrimSuffix(whole, extension))
			break
		}
	}
	if o.asLines {
		return tableOf("txt", func(s setting) (tabular, error) { return &column{setting: s}, nil }), p, nil
	}
	known, packable := []string(nil), []string(nil)
	for _, format := range slices.Concat(tables, o.tables) {
		if extension == "."+format.name && (p == nil || !format.packs) {
			return format, p, nil
		}
		known = append(known, "."+format.name)
		if !format.packs {
			packable = append(packable, "."+format.name)
		}
	}
	if p != nil && slices.Contains(known, extension) {
		return format, p, fmt.Errorf("write %s: %s compresses by itself: leave %s out", name, extension, p.suffix)
	}
	return format, p, fmt.Errorf("write %s: the extension does not name a format: use one of %s; %s also with .gz or .zst",
		name, strings.Join(known, ", "), strings.Join(packable, ", "))
}

// tabular writes batches in one format.
type tabular interface {
	begin(batch []Column) error // once, before all rows
	rows(batch []Column, rows int) error
	cut() error // ends a block
	Close() error
}

// tableOf makes a format from a function that opens a tabular.
func tableOf(name string, open func(s setting) (tabular, error)) Format[[]Column] {
	return Format[[]Column]{name: name, count: countRows, open: func(s setting) (Writer[[]Column], error) {
		to, err := open(s)
		return &tableWriter{to: to}, err
	}}
}

func countRows(batch []Column) int64 {
	if len(batch) == 0 {
		return 0
	}
	return int64(batch[0].Len())
}

// tableWriter checks batches before it writes them.
type tableWriter struct {
	to   tabular
	head []Column // of the first batch
	left int      // rows left in the current block
}

// Write implements Writer.
func (w *tableWriter) Write(batch []Column) error {
	rows, err := rowsOf(batch)
	if err != nil {
		return err
	}
	if w.head == nil {
		for _, c := range batch {
			w.head = append(w.head, c.Slice(0, 0))
		}
		err = w.to.begin(batch)
	} else {
		err = w.check(batch)
	}
	if err != nil {
		return err
	}
	for from := 0; from < rows; {
		if w.left == 0 {
			w.left = BlockRows
		}
		n := min(rows-from, w.left)
		if err := w.to.rows(slicesOf(batch, from, from+n), n); err != nil {
			return err
		}
		from += n
		if w.left -= n; w.left == 0 {
			if err := w.to.cut(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *tableWriter) check(batch []Column) error {
	if len(batch) != len(w.head) {
		return fmt.Errorf("a batch has %d columns, and the one before had %d", len(batch), len(w.head))
	}
	for i, c := range batch {
		if err := c.like(w.head[i]); err != nil {
			return err
		}
	}
	return nil
}

var errNoBatch = errors.New("no batch was written: write one without rows, which names the columns")

// Close implements Writer.
func (w *tableWriter) Close() error {
	if w.head == nil {
		return errNoBatch
	}
	return w.to.Close()
}
