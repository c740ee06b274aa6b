package main

import (
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// countRows counts the rows of files by the values of a column, and returns the counts of the values that this rank
// owns.
func countRows(r *pebble.Rank, files []string, column string, skip int64) (map[string]int64, ingest.Report, error) {
	counts := map[string]int64{}
	values := target.New(r, "values", distribution.Hash(r.Size()), target.Key(distribution.HashString),
		target.Each(func(value string) { counts[value]++ }), target.Coded[string](pebble.Strings{}))

	rows, err := ingest.Open(r, files, ingest.Rows(ingest.Columns(column)), ingest.Skip(skip))
	if err != nil {
		return nil, ingest.Report{}, err
	}
	err = r.Epoch(func() error {
		for row := range rows.All() {
			values.Send(string(row[0])) // a row is good until the next one
		}
		return rows.Err()
	})
	if err != nil {
		return nil, ingest.Report{}, err
	}
	report, err := rows.Report()
	return counts, report, err
}

// A count is a row of the written files.
type count struct {
	Value string `csv:"value"`
	Rows  int64  `csv:"rows"`
}

// save writes the counts of all ranks to a folder. Each rank writes its own.
func save(r *pebble.Rank, folder string, counts map[string]int64) (*export.Manifest, error) {
	out, err := export.Create(r, folder, export.CSV[count](','), export.Zstd())
	if err != nil {
		return nil, err
	}
	defer out.Abort() // does nothing after Close
	for value, rows := range counts {
		if err := out.Write(count{value, rows}); err != nil {
			return nil, err
		}
	}
	return out.Close()
}
