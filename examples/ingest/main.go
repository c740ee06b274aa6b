package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/activepebbles/pebbles/pebble"
)

func main() {
	column := flag.String("column", "city", "name of the column whose values are counted")
	out := flag.String("out", "", "folder that the counts are written to; none when empty")
	skip := flag.Int64("skip", 0, "rows that cannot be read and may be left out")
	flag.Parse()
	pebble.Main(pebble.Config{}, func(r *pebble.Rank) error {
		return run(r, os.Stdout, flag.Args(), *column, *out, *skip)
	})
}

// run counts, prints on rank 0, and writes.
func run(r *pebble.Rank, w io.Writer, files []string, column, out string, skip int64) error {
	counts, report, err := countRows(r, files, column, skip)
	if err != nil {
		return err
	}
	if r.ID() == 0 {
		fmt.Fprintf(w, "%d rows, %d skipped\n", report.Rows, report.Skipped)
	}
	if out == "" {
		return nil
	}
	m, err := save(r, out, counts)
	if err == nil && r.ID() == 0 {
		fmt.Fprintf(w, "%d different values in %s\n", m.Rows, out)
	}
	return err
}
