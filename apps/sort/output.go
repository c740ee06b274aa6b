package sort

import (
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// output is where rows go: lines of a file, or rows of a table; or nowhere.
type output struct {
	lines  *export.Sink[[]byte]
	rows   *apps.RowWriter
	writer *table.Writer
}

// create begins to write, so that an unusable output is an error before all work. All ranks call it.
func create(r *pebble.Rank, o apps.Output, asLines bool) (out *output, err error) {
	out = &output{}
	ending := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(o.Path, ".gz"), ".zst"))
	switch {
	case o.Path == "":
		return out, nil
	case asLines && (ending == ".csv" || ending == ".tsv"), !isTable(o):
		options := []export.Option{export.OneFile()}
		if o.Replace {
			options = append(options, export.Replace())
		}
		switch filepath.Ext(o.Path) {
		case ".gz":
			options = append(options, export.Gzip())
		case ".zst":
			options = append(options, export.Zstd())
		}
		out.lines, err = export.Create(r, o.Path, export.Lines(), options...)
	default:
		out.rows, err = apps.NewRowWriter(r, o, "")
	}
	return out, err
}

// isTable reports whether an output's name is that of a table.
func isTable(o apps.Output) bool { return o.Check() == nil }

// columns says which columns rows have, before the first one. All ranks call it.
func (o *output) columns(columns ...table.Column) { o.writer = table.NewWriter(o.rows, columns) }

// line and row write. The first error stays, and closing tells all ranks of it.
func (o *output) line(line []byte) { _ = o.lines.Write(line) }

func (o *output) row(values ...table.Value) { o.writer.Write(values) }

// close completes the output, unless the result has errors. All ranks call it.
func (o *output) close(result *Result) error {
	switch {
	case o.rows != nil:
		o.writer.Flush()
		if err := o.rows.Close(&result.Report); err != nil || result.Output == nil {
			return err
		}
		result.Written = result.Output.Bytes
	case o.lines != nil && result.Errors == 0:
		manifest, err := o.lines.Close()
		if err != nil {
			return err
		}
		result.Written = manifest.Bytes
	}
	return nil
}

func (o *output) abort() {
	if o.lines != nil {
		o.lines.Abort()
	}
	if o.rows != nil {
		o.rows.Abort()
	}
}
