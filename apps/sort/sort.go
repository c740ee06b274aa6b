// Package sort sorts numbers made from a seed, the lines of files, or the rows of tables, on all ranks: container.Sort
// sorts them in a container.Table. Afterwards each rank has about the same number of rows, in order, and no row that
// belongs after one of the next rank. Rows that exceed the memory go to files of a scratch folder, as runs that are
// merged when they are read.
//
// [Run] sorts, checks the result ([table.Sorting]), and writes it if an output is set. Lines that are sorted as numbers
// are also read by another parser, which must find no number below the one before it. [Serial] is the plain twin for
// numbers.
package sort

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// Config configures Run. It is equal on all ranks, except for Progress.
type Config struct {
	// Seed determines the numbers. Progress counts the rows that rank 0 has loaded; a total of 0 is unknown. Output
	// gets the rows in order: lines as they stand, or, by its extension, a table with the column "line" or "number", or
	// with the columns of the sorted tables. Nothing is written if the check finds a mistake.
	apps.Common
	// Input names the files to sort instead of numbers. Without Column they have lines, whose ends (\n or \r\n) do not
	// count.
	apps.Input
	// Numbers is the number of numbers to sort; 0 is NumbersDefault. They are uint64, and the same for any number of
	// ranks.
	Numbers uint64
	// Distinct is the maximum number of different numbers; 0 is all of them.
	Distinct uint64
	// Numeric sorts by numbers, see [table.AppendNumber], instead of by bytes.
	Numeric bool
	// Reverse sorts in descending order. With Numeric, NaN and texts still come last.
	Reverse bool
	// Unique keeps the first row of each key.
	Unique bool
	// Column is the key: the name of a column of tables or its number from 1, or the number of a field between blanks
	// in lines. "" is the whole line.
	Column string
	// Space is the memory for rows on a rank, and the folder for the rows that exceed it.
	Space container.Budget
}

// NumbersDefault is the default number of numbers.
const NumbersDefault = 10_000_000

const numbersMost = 1 << 44 // so that a rank's numbers fit in an int

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	switch {
	case len(c.Files) > 0 && (c.Numbers > 0 || c.Distinct > 0):
		return fmt.Errorf("sort: %d files, and numbers: give one or the other", len(c.Files))
	case len(c.Files) == 0 && (c.Numeric || c.Reverse || c.Unique || c.Column != ""):
		return fmt.Errorf("sort: numbers are made, and sorted in ascending order: name files for another order")
	case c.Numbers > numbersMost:
		return fmt.Errorf("sort: %d numbers: give %d at most", c.Numbers, uint64(numbersMost))
	case c.Space.Memory < 0:
		return fmt.Errorf("sort: rows have %d bytes of memory: give a number above 0, or 0 for the available memory",
			c.Space.Memory)
	case c.Output.Replace && c.Output.Path == "":
		return fmt.Errorf("sort: nothing is written that could replace a file: name an output")
	case c.Output.Top > 0:
		return fmt.Errorf("sort: the highest rows are the last ones: leave Top out, or sort in reverse order")
	}
	return nil
}

// Result is the report of Run.
type Result struct {
	apps.Report
	Of    string `json:"of"` // "numbers", "lines" or "rows"
	Count uint64 `json:"rows"`

	// RowsPerSecond is of sorting alone. Runs are merged when they are read, so TotalRowsPerSecond covers everything
	// from making or reading the rows to checking and writing them in order.
	RowsPerSecond      float64 `json:"rows_per_second"`
	TotalRowsPerSecond float64 `json:"total_rows_per_second"`
	SpilledBytes       int64   `json:"spilled_bytes"` // written to scratch folders by all ranks
	Runs               int     `json:"runs"`          // number of files with these bytes
	Fullest            float64 `json:"fullest"`       // rows of the fullest rank over the mean
	Written            int64   `json:"written_bytes"` // to the output
	Kept               uint64  `json:"kept"`          // rows with different keys, if only these are kept; otherwise all
	// sum of the rows' hashes, 16 hexadecimal digits; independent of the order
	Checksum string `json:"checksum"`
}

// Rows returns the labels and values of a summary for display.
func (r Result) Rows() [][2]string {
	rows := [][2]string{
		{r.Of, strconv.FormatUint(r.Count, 10)},
		{"rows a second", fmt.Sprintf("%.4g (sorting), %.4g (all)", r.RowsPerSecond, r.TotalRowsPerSecond)},
		{"spilled", fmt.Sprintf("%d bytes in %d runs", r.SpilledBytes, r.Runs)},
		{"fullest rank", fmt.Sprintf("%.3g times the mean", r.Fullest)},
		{"checksum", r.Checksum},
	}
	if r.Kept != r.Count {
		rows = append(rows, [2]string{"kept", fmt.Sprintf("%d with different keys", r.Kept)})
	}
	return append(rows, [2]string{"order", apps.Verdict(true, r.Errors, "errors")})
}

// Run sorts, checks and writes. All ranks call it, with equal configurations. The result is complete on every rank. An
// error means that the job failed, or that a file could not be read or written. Errors counts the mistakes that the
// check finds.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	if len(c.Files) == 0 {
		return runNumbers(r, c.complete())
	}
	return runFiles(r, c)
}

// complete sets zero fields to their defaults.
func (c Config) complete() Config {
	c.Numbers = cmp.Or(c.Numbers, NumbersDefault)
	c.Distinct = cmp.Or(c.Distinct, c.Numbers)
	return c
}

// number returns the number at a place, made from the seed. Before Distinct reduces them, all numbers differ.
func (c Config) number(at uint64) uint64 { return apps.Mix(apps.Mix(c.Seed) + at%c.Distinct) }

const progressEvery = 1 << 20 // rows of rank 0 between two reports of progress
