// Package sort sorts numbers that a seed names, the lines of files, or the rows of tables, on all ranks: a
// container.Table of them, which container.Sort sorts. Afterwards each rank has about as many rows, in order, and none
// that comes after one of the next rank. What has no room in memory goes to files of a scratch folder, in runs that are
// merged when they are read.
//
// [Run] does all of it, checks the result ([table.Sorting]), and writes it if that is wanted. Lines that are sorted as
// numbers are read once more by another parser, which must find no number below the one ahead. [Serial] is the plain
// twin for numbers.
package sort

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// Config configures Run. All ranks give equal ones, but for Progress.
type Config struct {
	// Seed names the numbers; Progress counts rows that rank 0 has loaded; a total of 0 is not known. Output gets the
	// rows in order: lines as they stand, or by its extension a table with the column "line" or "number", or the columns
	// of the tables that are sorted. Nothing is written when the check finds something wrong.
	apps.Common
	// Input names files that are sorted instead of numbers. Without Column they have lines, whose ends (\n or \r\n) do
	// not count.
	apps.Input
	// Numbers are sorted, so many in all; 0 is NumbersDefault. They are uint64, and the same on any number of ranks.
	Numbers uint64
	// Distinct is how many of the numbers differ at most; 0 is all of them.
	Distinct uint64
	// Numeric sorts by numbers, see [table.AppendNumber], instead of by bytes.
	Numeric bool
	// Reverse sorts in descending order; with Numeric, NaN and texts come last all the same.
	Reverse bool
	// Unique keeps the first row of those with equal keys.
	Unique bool
	// Column is the key: the name of a column of tables, or its number from 1, or that of a field between blanks in lines.
	// "" is the whole line.
	Column string
	// Space is how much memory rows take on a rank, and where those go that are too many.
	Space container.Budget
}

// NumbersDefault is how many numbers are sorted when none are asked for.
const NumbersDefault = 10_000_000

const numbersMost = 1 << 44 // so that a rank's fit in an int

// Check returns an error if c cannot work in a job of that many ranks.
func (c Config) Check(int) error {
	switch {
	case len(c.Files) > 0 && (c.Numbers > 0 || c.Distinct > 0):
		return fmt.Errorf("sort: %d files, and numbers: give one or the other", len(c.Files))
	case len(c.Files) == 0 && (c.Numeric || c.Reverse || c.Unique || c.Column != ""):
		return fmt.Errorf("sort: numbers are made, and sorted in ascending order: name files for another order")
	case c.Numbers > numbersMost:
		return fmt.Errorf("sort: %d numbers: give %d at most", c.Numbers, uint64(numbersMost))
	case c.Space.Memory < 0:
		return fmt.Errorf("sort: rows have %d bytes of memory: give a number above 0, or 0 for what is available",
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

	// RowsPerSecond is of sorting alone. Runs are merged when they are read: TotalRowsPerSecond counts all from making
	// or reading the rows to checking and writing them in order.
	RowsPerSecond      float64 `json:"rows_per_second"`
	TotalRowsPerSecond float64 `json:"total_rows_per_second"`
	SpilledBytes       int64   `json:"spilled_bytes"` // written to scratch folders, by all ranks
	Runs               int     `json:"runs"`          // files of these
	Fullest            float64 `json:"fullest"`       // rows of the rank that has most, over the mean
	Written            int64   `json:"written_bytes"` // to the output
	Kept               uint64  `json:"kept"`          // rows with different keys, if only these are wanted; otherwise all
	// sum of the rows' hashes, 16 hexadecimal digits: the same in any order
	Checksum string `json:"checksum"`
}

// Rows are labels and values of a summary for display.
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
// error means that the job failed, or a file could not be read or written; what the check finds is counted in Errors.
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

// number is the number at a place of those that the seed names. Before a change to fewer ones all differ.
func (c Config) number(at uint64) uint64 { return apps.Mix(apps.Mix(c.Seed) + at%c.Distinct) }

const progressEvery = 1 << 20 // rows of rank 0 between two words of progress
