package sort

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// runOfFiles is a run over files.
type runOfFiles struct {
	sorter[string]
	layout
	columns []table.Column // of tables
	at      int            // index of the key in columns
	last    float64        // number of the last row
	read    uint64         // rows read
}

// runFiles sorts lines of files, or rows of tables.
func runFiles(r *pebble.Rank, c Config) (result Result, err error) {
	f := &runOfFiles{layout: layout{numeric: c.Numeric, reverse: c.Reverse, unique: c.Unique}, last: math.NaN()}
	f.sorter = sorter[string]{rank: r, config: c, load: f.loadLines}
	of := "lines"
	if c.Column != "" {
		names, tables, err := table.Files(r, c.Files)
		if err != nil {
			return result, err
		}
		if f.table = tables; tables {
			of, f.load, f.loaded = "rows", f.loadTable, f.tellColumns
			f.saved = []checkpoint.Part{checkpoint.Value("columns", &f.columns)}
		} else if f.field, err = strconv.Atoi(c.Column); err != nil || f.field < 1 {
			return result, fmt.Errorf("sort: column %q of the lines of %s: give the number of a field from 1 on, or a file "+
				"whose name ends with .csv, .tsv, .jsonl, .avro or .parquet", c.Column, names[0])
		}
	}
	if f.table && c.Output.Path != "" {
		if err := c.Output.Check(); err != nil {
			return result, err
		}
	}
	if f.out, err = create(r, c.Output, !f.table); err != nil {
		return result, err
	}
	f.rows = table.NewRows(r, "rows", c.Space)
	if f.unique {
		f.sorter.key = f.layout.key
	}
	if f.numeric && !f.table {
		f.looks = f.below
	}
	f.writes()
	return f.run(of)
}

// writes chooses the function that writes rows.
func (f *runOfFiles) writes() {
	var values []table.Value
	switch {
	case !f.out.Wanted():
	case f.table:
		f.write = func(row string) {
			values = f.values(values[:0], row, len(f.columns))
			f.out.row(values...)
		}
	default:
		f.out.columns(table.TextColumn("line"))
		f.write = func(row string) {
			if !f.plain() {
				row = string(f.appendTo(nil, row))
			}
			f.out.row(table.TextOf(row))
		}
	}
}

// below reports whether the number of a row is below that of the row before it, or above it in reverse order.
func (f *runOfFiles) below(row string) bool {
	x, last := number(string(fieldOf(f.appendTo(nil, row), f.field))), f.last
	f.last = x
	if f.reverse {
		return x > last
	}
	return x < last
}

// loadLines reads this rank's lines.
func (f *runOfFiles) loadLines(result *Result) error {
	k := keeper{add: f.rows.Add}
	format := ingest.Convert(ingest.Lines(), func(at ingest.Place, line []byte) (placed, error) {
		return placed{at, line}, nil
	})
	in, err := ingest.Open(f.rank, f.config.Files, format, f.config.Options()...)
	if err != nil {
		return err
	}
	for row := range in.All() {
		k.text = f.line(k.text, row.line, row.at)
		k.keep()
		f.progress()
	}
	k.empty()
	report, err := in.Report()
	result.Read(report)
	return err
}

// placed is a line and its place.
type placed struct {
	at   ingest.Place
	line []byte
}

// loadTable reads this rank's rows of tables.
func (f *runOfFiles) loadTable(result *Result) error {
	k := keeper{add: f.rows.Add}
	in, err := table.Open(f.rank, f.config.Files, f.config.Options()...)
	if err != nil {
		return err
	}
	if f.at, err = column(in, f.config.Column); err != nil {
		return err
	}
	for record := range in.All() {
		k.text = f.record(k.text, record, f.at)
		k.keep()
		f.progress()
	}
	k.empty()
	var report ingest.Report
	f.columns, report, err = in.Report(f.rank)
	result.Read(report)
	return err
}

// tellColumns sets the columns of the output.
func (f *runOfFiles) tellColumns() {
	if f.out.Wanted() {
		f.out.columns(f.columns...)
	}
}

// column finds a column by its name, or by its number.
func column(in *table.Source, name string) (int, error) {
	if n, err := strconv.Atoi(name); err == nil && !slices.Contains(in.Columns, name) && n >= 1 && n <= len(in.Columns) {
		return n - 1, nil
	}
	places, err := in.Find([]string{name})
	if err != nil {
		return 0, err
	}
	return places[0], nil
}

// progress counts a loaded row.
func (f *runOfFiles) progress() {
	f.read++
	f.config.Progress.Passed(f.rank, progressEvery, f.read-1, f.read, 0)
}
