package sort

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/export"
	"github.com/activepebbles/pebbles/pebble"
)

// kind is what is sorted.
type kind[R cmp.Ordered] struct {
	load func(add func(row R)) error
	hash func(row R) uint64
	text func(dst []byte, row R) []byte // appends a row as a line
	ends []pebble.Codec[R]              // for a rank's first and last row; none for plain data
}

// seen are rows that were looked at.
type seen struct{ Count, Sum uint64 }

func (s *seen) note(hash uint64) {
	s.Count++
	s.Sum += hash
}

func (s seen) add(o seen) seen { return seen{s.Count + o.Count, s.Sum + o.Sum} }

// sorter is one rank's part of a run.
type sorter[R cmp.Ordered] struct {
	kind[R]
	rank          *pebble.Rank
	table         *container.Table[R]
	out           *export.Sink[[]byte] // nil for none
	before, after seen                 // this rank's rows, before they are sorted and afterwards
	disorder      uint64               // rows that come before the one ahead of them
	edges         []R                  // the first row and the last one
}

func run[R cmp.Ordered](r *pebble.Rank, c Config, of string, k kind[R]) (result Result, err error) {
	s := &sorter[R]{kind: k, rank: r}
	if c.Output != "" { // what is wrong with it is told before all work
		if s.out, err = create(r, c); err != nil {
			return result, err
		}
		defer s.out.Abort()
	}
	s.table = container.NewTable[R](r, "rows", c.Space)
	result = Result{Report: apps.NewReport(r, "sort", c.Seed), Of: of}
	err = result.RunPhases(r, apps.Phases{
		Load: s.fill, Kernel: func() error { return container.Sort(s.table) },
		Verify: func() error { return s.verify(&result) }, Free: s.table.Clear,
	})
	result.RowsPerSecond = apps.Rate(float64(result.Count), result.Seconds)
	result.TotalRowsPerSecond = apps.Rate(float64(result.Count), result.SetUp+result.Seconds+result.Verify)
	return result, err
}

func create(r *pebble.Rank, c Config) (*export.Sink[[]byte], error) {
	options := []export.Option{export.OneFile()}
	if c.Replace {
		options = append(options, export.Replace())
	}
	return export.Create(r, c.Output, export.Lines(), options...)
}

// fill makes or reads this rank's rows.
func (s *sorter[R]) fill() error {
	return s.load(func(row R) {
		s.before.note(s.hash(row))
		s.table.Add(row)
	})
}

// verify goes over the rows in order, and writes them if they are wanted and nothing is wrong with them.
func (s *sorter[R]) verify(result *Result) error {
	s.pass()
	before, after, err := s.total(result)
	if err != nil {
		return err
	}
	if err := s.judge(result, before, after); err != nil || s.out == nil || result.Errors > 0 {
		return err
	}
	manifest, err := s.out.Close()
	if err == nil {
		result.Written = manifest.Bytes
	}
	return err
}

// pass goes over this rank's rows once.
func (s *sorter[R]) pass() {
	var line []byte
	var last R
	for row := range s.table.LocalAll() {
		if s.after.Count == 0 {
			s.edges = append(s.edges, row)
		} else if row < last {
			s.disorder++
		}
		last = row
		s.after.note(s.hash(row))
		if s.out != nil {
			line = s.text(line[:0], row)
			_ = s.out.Write(line) // the first error stays, and closing tells all ranks of it
		}
	}
	if s.after.Count > 0 {
		s.edges = append(s.edges, last)
	}
}

// total adds up what all ranks have seen.
func (s *sorter[R]) total(result *Result) (before, after seen, err error) {
	type sums struct {
		Before, After seen
		Most          uint64
		Spilled       container.Spilled
	}
	own := sums{s.before, s.after, s.after.Count, s.table.Spilled()}
	all, err := pebble.AllReduce(s.rank, own, func(a, b sums) sums {
		return sums{
			a.Before.add(b.Before), a.After.add(b.After), max(a.Most, b.Most),
			container.Spilled{Bytes: a.Spilled.Bytes + b.Spilled.Bytes, Runs: a.Spilled.Runs + b.Spilled.Runs},
		}
	})
	result.Count, result.Checksum = all.Before.Count, fmt.Sprintf("%016x", all.Before.Sum)
	result.SpilledBytes, result.Runs = all.Spilled.Bytes, all.Spilled.Runs
	if all.After.Count > 0 {
		result.Fullest = float64(all.Most) * float64(s.rank.Size()) / float64(all.After.Count)
	}
	return all.Before, all.After, err
}

// judge adds to the errors what is wrong.
func (s *sorter[R]) judge(result *Result, before, after seen) error {
	if err := result.Found(s.rank, s.disorder, "rows are wrong: they come before the one ahead of them"); err != nil {
		return err
	}
	ends, err := pebble.AllGatherSlice(s.rank, s.edges, s.ends...)
	if err != nil {
		return err
	}
	between, edges := uint64(0), slices.Concat(ends...)
	for i := 2; i < len(edges); i += 2 {
		between += apps.Differ(edges[i-1] <= edges[i])
	}
	if err := result.FoundOnce(s.rank, between,
		"ranks are wrong: their first row comes before the last one of those ahead"); err != nil {
		return err
	}
	lost := max(before.Count, after.Count) - min(before.Count, after.Count)
	if err := result.FoundOnce(s.rank, lost, "rows are wrong: they were lost or doubled"); err != nil {
		return err
	}
	changed := apps.Differ(lost > 0 || before.Sum == after.Sum)
	return result.FoundOnce(s.rank, changed, "checksum went wrong: rows were changed")
}
