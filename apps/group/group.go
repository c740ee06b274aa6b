// Package group groups the rows of tables in files (see [table.Open]) by the values of columns, and computes counts,
// sums, means and extremes of other columns in each group. Rows are merged into groups on their way and at the owner of
// their key, in a container.Map, so only the groups need memory.
//
// [Run] groups, checks and reports. The check gives each key a weight, and compares sums over all rows with sums over
// all groups: rows, numbers, and numbers times weights must be equal.
package group

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// A Function reduces the numbers of a group to one.
type Function string

// The functions. Count counts rows and has no column; the others ignore rows without a value.
const (
	Count Function = "count"
	Sum   Function = "sum"
	Mean  Function = "mean"
	Min   Function = "min"
	Max   Function = "max"
)

// Functions lists all functions.
var Functions = []Function{Count, Sum, Mean, Min, Max}

// An Aggregate is a column of the result: a function of the numbers of a column in each group.
type Aggregate struct {
	Function Function
	Column   string
}

// name returns the name of the result's column.
func (a Aggregate) name() string {
	if a.Function == Count {
		return string(Count)
	}
	return string(a.Function) + "_" + a.Column
}

// Config configures Run. It is equal on all ranks, except for Progress.
type Config struct {
	// Progress counts rows that rank 0 has read. Output gets the groups in the order of their keys (see
	// [table.AppendKey]): the columns of By, then the aggregates, such as count and sum_fare. Output.Top ranks them by
	// the first aggregate.
	apps.Common
	apps.Input             // names the files
	By         []string    // columns with equal values in a group; none: one group of all rows
	Aggregates []Aggregate // none is Count
	Space      container.Budget
}

// Check returns an error if c is invalid for a job of this number of ranks.
func (c Config) Check(int) error {
	c = c.complete()
	if len(c.Files) == 0 {
		return fmt.Errorf("group: no table is given: name a file or a pattern")
	}
	for i, a := range c.Aggregates {
		switch {
		case !slices.Contains(Functions, a.Function):
			return fmt.Errorf("group: no function %q: use one of %s", a.Function, apps.Names(Functions))
		case (a.Function == Count) != (a.Column == ""):
			return fmt.Errorf("group: the function %s of the column %q: give count no column, and others one", a.Function,
				a.Column)
		case slices.Contains(c.Aggregates[:i], a):
			return fmt.Errorf("group: %s is named twice: name it once", a.name())
		}
	}
	for i, name := range c.By {
		if slices.Contains(c.By[:i], name) {
			return fmt.Errorf("group: column %q is in the key twice: name it once", name)
		}
	}
	if n := len(c.numbers()); n > columnsMost {
		return fmt.Errorf("group: numbers of %d columns: give %d at most", n, columnsMost)
	}
	return c.Output.Check()
}

// complete sets zero fields to their defaults.
func (c Config) complete() Config {
	if len(c.Aggregates) == 0 {
		c.Aggregates = []Aggregate{{Function: Count}}
	}
	return c
}

// numbers returns the columns of aggregates, each once.
func (c Config) numbers() (names []string) {
	for _, a := range c.Aggregates {
		if a.Function != Count && !slices.Contains(names, a.Column) {
			names = append(names, a.Column)
		}
	}
	return names
}

// Result is the report of Run.
type Result struct {
	apps.Report
	By     []string `json:"by"`
	Count  uint64   `json:"rows"`
	Groups uint64   `json:"groups"`

	RowsPerSecond float64 `json:"rows_per_second"`
	SpilledBytes  int64   `json:"spilled_bytes"` // written to scratch folders by all ranks while groups are sorted
	Checksum      string  `json:"checksum"`      // of the groups, 16 hexadecimal digits
}

// Rows returns the labels and values of a summary for display.
func (r Result) Rows() [][2]string {
	return [][2]string{
		{"groups", fmt.Sprintf("%d by %q", r.Groups, r.By)},
		{"rows", strconv.FormatUint(r.Count, 10)},
		{"rows a second", fmt.Sprintf("%.4g", r.RowsPerSecond)},
		{"checksum", r.Checksum},
	}
}

// Run groups, checks and writes. All ranks call it, with equal configurations. The result is complete on every rank. An
// error means that the job failed, that a file could not be read or written, or that a value is not a number. Errors
// counts the mistakes that the check finds.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	c = c.complete()
	switch n := len(c.numbers()); {
	case n <= 1:
		return run[[1]stat](r, c)
	case n <= 4:
		return run[[4]stat](r, c)
	}
	return run[[columnsMost]stat](r, c)
}
