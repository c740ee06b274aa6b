// Package sort sorts numbers that a seed names, or the lines of files, by all ranks: a container.Table of them, which
// container.Sort sorts. Afterwards each rank has about as many rows, in order, and none that comes after one of the
// next rank. What has no room in memory goes to files of a scratch folder, in runs that are merged when they are read.
//
// [Run] does all of it, checks the result, and writes it to one file if that is wanted. The check needs no second
// sort: rows must be in order on each rank and from one rank to the next, as many as there were, and the sum of their
// hashes must be what it was. So a row that was lost, doubled or changed is found, but by an accident of 1 in 2^64.
// [Serial] is the plain twin for numbers.
package sort

import (
	"cmp"
	"fmt"
	"strconv"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// Config says what Run does. All ranks give equal ones, but for Progress.
type Config struct {
	apps.Common // Seed names the numbers; Progress counts rows that rank 0 has loaded; a total of 0 is not known
	// Numbers are sorted, so many in all; 0 is NumbersDefault. They are uint64, and the same on any number of ranks.
	Numbers uint64
	// Distinct is how many of the numbers differ at most; 0 is all of them.
	Distinct uint64
	// Files are names or patterns of files whose lines are sorted in place of numbers, as package ingest takes them.
	// Lines are in the order of their bytes; what ends them (\n or \r\n) does not count.
	Files []string
	// Numeric says that lines of files are numbers below 2^64, which are sorted as such.
	Numeric bool

	// Output is a file that does not exist yet, which gets the rows in order, a line each; "" is none. Nothing is
	// written when the check finds something wrong.
	Output string
	// Replace lets Output exist.
	Replace bool
	// Space is how much memory rows take on a rank, and where those go that are too many.
	Space container.Space
}

// NumbersDefault is how many numbers are sorted when none are asked for.
const NumbersDefault = 10_000_000

const numbersMost = 1 << 44 // so that a rank's fit in an int

// Check returns an error that says what is wrong with c for a job of so many ranks.
func (c Config) Check(int) error {
	switch {
	case len(c.Files) > 0 && (c.Numbers > 0 || c.Distinct > 0):
		return fmt.Errorf("sort: %d files, and numbers: give one or the other", len(c.Files))
	case c.Numeric && len(c.Files) == 0:
		return fmt.Errorf("sort: numbers are made, without files whose lines could be some: name files")
	case c.Numbers > numbersMost:
		return fmt.Errorf("sort: %d numbers: give %d at most", c.Numbers, uint64(numbersMost))
	case c.Space.Memory < 0:
		return fmt.Errorf("sort: rows have %d bytes of memory: give a number above 0, or 0 for what is available",
			c.Space.Memory)
	case c.Replace && c.Output == "":
		return fmt.Errorf("sort: nothing is written that could replace a file: name an output")
	}
	return nil
}

// Result is what Run reports.
type Result struct {
	apps.Report
	Of    string `json:"of"` // "numbers" or "lines"
	Count uint64 `json:"rows"`

	// RowsPerSecond is of sorting alone. Runs are merged when they are read: TotalRowsPerSecond counts all from making
	// or reading the rows to checking and writing them in order.
	RowsPerSecond      float64 `json:"rows_per_second"`
	TotalRowsPerSecond float64 `json:"total_rows_per_second"`
	SpilledBytes       int64   `json:"spilled_bytes"` // written to scratch folders, by all ranks
	Runs               int     `json:"runs"`          // files of these
	Fullest            float64 `json:"fullest"`       // rows of the rank that has most, over the mean
	Written            int64   `json:"written_bytes"` // to the output
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
	if r.Written > 0 {
		rows = append(rows, [2]string{"written", fmt.Sprintf("%d bytes", r.Written)})
	}
	return append(rows, [2]string{"order", apps.Verdict(true, r.Errors, "errors")})
}

// Run sorts, checks and writes. All ranks call it, with equal configurations. The result is complete on every rank. An
// error means that the job failed, or a file could not be read or written; what the check finds is counted in Errors.
func Run(r *pebble.Rank, c Config) (Result, error) {
	if err := c.Check(r.Size()); err != nil {
		return Result{}, err
	}
	numbers := kind[uint64]{
		hash: apps.Mix,
		text: func(dst []byte, number uint64) []byte { return strconv.AppendUint(dst, number, 10) },
	}
	switch {
	case len(c.Files) == 0:
		c = c.complete()
		numbers.load = func(add func(number uint64)) error { c.loadNumbers(r, add); return nil }
	case c.Numeric:
		numbers.load = func(add func(number uint64)) error { return loadFiles(r, c, ingest.LinesOf(parse), add) }
	default:
		return run(r, c, "lines", kind[string]{
			load: func(add func(line string)) error {
				var k keeper
				if err := loadFiles(r, c, ingest.Lines(), func(line []byte) { k.keep(line, add) }); err != nil {
					return err
				}
				k.empty(add)
				return nil
			},
			hash: distribution.HashString,
			text: func(dst []byte, line string) []byte { return append(dst, line...) },
			ends: []pebble.Codec[string]{pebble.Strings{}},
		})
	}
	return run(r, c, "numbers", numbers)
}

// keeper makes strings of lines, many of which share one piece of memory.
type keeper struct {
	text []byte
	ends []int // of lines in it
}

// keptTogether is how many bytes of text share memory, or one line.
const keptTogether = 32 << 10

func (k *keeper) keep(line []byte, add func(line string)) {
	k.text = append(k.text, line...)
	k.ends = append(k.ends, len(k.text))
	if len(k.text) >= keptTogether {
		k.empty(add)
	}
}

func (k *keeper) empty(add func(line string)) {
	text, from := string(k.text), 0
	for _, end := range k.ends {
		add(text[from:end])
		from = end
	}
	k.text, k.ends = k.text[:0], k.ends[:0]
}

func parse(line []byte) (uint64, error) { return strconv.ParseUint(string(line), 10, 64) }

// complete sets what is left open to the defaults.
func (c Config) complete() Config {
	c.Numbers = cmp.Or(c.Numbers, NumbersDefault)
	c.Distinct = cmp.Or(c.Distinct, c.Numbers)
	return c
}

// number is the number at a place of those that the seed names. Before a change to fewer ones all differ.
func (c Config) number(at uint64) uint64 { return apps.Mix(apps.Mix(c.Seed) + at%c.Distinct) }

const progressEvery = 1 << 20 // rows of rank 0 between two words of progress

func (c Config) loadNumbers(r *pebble.Rank, add func(number uint64)) {
	share := distribution.Block(c.Numbers, r.Size())
	mine := uint64(share.LocalLen(r.ID()))
	for i := range mine {
		add(c.number(share.Key(r.ID(), 0) + i))
		c.Progress.Passed(r, progressEvery, i, i+1, mine)
	}
}

func loadFiles[T any](r *pebble.Rank, c Config, format ingest.Format[T], add func(row T)) error {
	in, err := ingest.Open(r, c.Files, format)
	if err != nil {
		return err
	}
	done := uint64(0)
	for row := range in.All() {
		add(row)
		c.Progress.Passed(r, progressEvery, done, done+1, 0)
		done++
	}
	_, err = in.Report()
	return err
}
