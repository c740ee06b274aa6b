package sort

import (
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/pebble"
)

// output is where rows go: a table, or lines of a file; or nowhere.
type output struct {
	*apps.RowWriter
	writer *table.Writer
}

// create begins to write, so that an unusable output is an error before all work. All ranks call it.
func create(r *pebble.Rank, o apps.Output, asLines bool) (*output, error) {
	ending := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(o.Path, ".gz"), ".zst"))
	o.Lines = asLines && (ending == ".csv" || ending == ".tsv") || o.Check() != nil
	rows, err := apps.NewRowWriter(r, o, "")
	return &output{RowWriter: rows}, err
}

// columns says which columns rows have, before the first one. All ranks call it.
func (o *output) columns(columns ...table.Column) { o.writer = table.NewWriter(o.RowWriter, columns) }

// row writes a row. The first error stays, and closing tells all ranks of it.
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
