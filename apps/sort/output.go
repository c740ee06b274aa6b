package sort

import (
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/pebble"
)

// output is the destination of rows: a table, lines of a file, or none.
type output struct {
	*apps.RowWriter
	writer *table.Writer
}

// create opens the output, so that an unusable one is an error before all work. All ranks call it.
func create(r *pebble.Rank, o apps.Output, asLines bool) (*output, error) {
	ending := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(o.Path, ".gz"), ".zst"))
	o.Lines = asLines && (ending == ".csv" || ending == ".tsv") || o.Check() != nil
	rows, err := apps.NewRowWriter(r, o, "")
	return &output{RowWriter: rows}, err
}

// columns sets the columns of rows, before the first row. All ranks call it.
func (o *output) columns(columns ...table.Column) { o.writer = table.NewWriter(o.RowWriter, columns) }

// row writes a row. The first error stays; close reports it to all ranks.
func (o *output) row(values ...table.Value) { o.writer.Write(values) }

// close completes the output, unless the result has errors. All ranks call it.
func (o *output) close(result *Result) error {
	if !o.Wanted() {
		return nil
	}
	o.writer.Flush()
	err := o.Close(&result.Report)
	if result.Output != nil {
		result.Written = result.Output.Bytes
	}
	return err
}
