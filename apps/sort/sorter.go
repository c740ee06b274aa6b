package sort

import (
	"cmp"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/pebble"
)

// sorter is one rank's part of a run.
type sorter[R cmp.Ordered] struct {
	rank   *pebble.Rank
	config Config
	rows   *table.Sorting[R, R]
	steps  apps.Steps // two: rows are loaded, rows are sorted
	saved  []checkpoint.Part
	load   func(result *Result) error
	loaded func()                   // called when the rows are loaded or restored; nil: nothing to do
	looks  func(row R) (wrong bool) // compares a row with the one before it; nil: no check
	key    func(row R) string       // key of a row, if only one row per key is kept; nil keeps all
	out    *output                  // of the rows
	write  func(row R)              // writes to out; nil: no output
	kept   uint64
	wrong  uint64
}

func (s *sorter[R]) run(of string) (result Result, err error) {
	defer s.out.Abort()
	result = Result{Report: apps.NewReport(s.rank, "sort", s.config.Seed), Of: of}
	err = result.RunPhases(s.rank, apps.Phases{
		Load: func() error { return s.fill(&result) }, Kernel: s.sort,
		Verify: func() error { return s.verify(&result) }, Free: s.rows.Clear, Steps: &s.steps,
	})
	result.RowsPerSecond = apps.Rate(float64(result.Count), result.Seconds)
	result.TotalRowsPerSecond = apps.Rate(float64(result.Count), result.SetUp+result.Seconds+result.Verify)
	return result, err
}

// fill restores the rows of the newest checkpoint, or reads or makes them.
func (s *sorter[R]) fill(result *Result) error {
	c := s.config
	input, err := apps.Inputs(s.rank, c.Files)
	if err != nil {
		return err
	}
	parts := append(s.rows.Parts(), input, checkpoint.Argument("files", c.Files), checkpoint.Argument("column", c.Column),
		checkpoint.Argument("numbers", c.Numbers), checkpoint.Argument("distinct", c.Distinct),
		checkpoint.Argument("numeric", c.Numeric), checkpoint.Argument("reverse", c.Reverse),
		checkpoint.Argument("unique", c.Unique), checkpoint.Argument("lenient", c.Lenient),
		checkpoint.Value("skipped", &result.Skipped), checkpoint.Value("first skipped", &result.FirstSkipped))
	restored, err := s.steps.Restore(s.rank, "sort", c.Seed, append(parts, s.saved...)...)
	if err == nil && !restored {
		err = s.load(result)
	}
	if err == nil && s.loaded != nil {
		s.loaded()
	}
	return err
}

// sort sorts the rows. It also sorts rows that were saved in order, because the number of ranks may have changed. They
// are almost in place.
func (s *sorter[R]) sort() error {
	sorted := false
	return s.steps.Run(func(n int) (more bool, err error) {
		if !sorted {
			err, sorted = s.rows.Sort(), true
		}
		return n == 0, err
	})
}

// verify checks the rows in order, and writes them if an output is set and they are correct.
func (s *sorter[R]) verify(result *Result) error {
	if err := s.pass(); err != nil {
		return err
	}
	sums, err := s.rows.Total()
	if err != nil {
		return err
	}
	result.Count, result.Checksum = sums.Before.Count, sums.Before.Checksum()
	result.SpilledBytes, result.Runs = sums.Spilled.Bytes, sums.Spilled.Runs
	result.Fullest = sums.Fullest(s.rank.Size())
	if err := s.rows.Judge(&result.Report, sums); err != nil {
		return err
	}
	if result.Kept, err = apps.Sum(s.rank, s.kept); err != nil {
		return err
	}
	if err := result.Found(s.rank, s.wrong, "numbers are wrong: they are below the one ahead of them"); err != nil {
		return err
	}
	return s.out.close(result)
}

// pass iterates over this rank's rows once, or twice if only one of equal rows is kept.
func (s *sorter[R]) pass() error {
	ahead, any, keep, err := s.look()
	if err == nil {
		err = s.out.Announce(keep)
	}
	if err != nil {
		return err
	}
	for row := range s.rows.All() {
		if s.looks != nil && s.looks(row) {
			s.wrong++
		}
		if s.key != nil {
			key := s.key(row)
			if any && key == ahead {
				continue
			}
			ahead, any = key, true
		}
		if s.kept++; s.write != nil {
			s.write(row)
		}
	}
	return nil
}

// look returns the key of the last row of the ranks before this one, if any, and the number of this rank's rows that
// are kept. All ranks call it.
func (s *sorter[R]) look() (ahead string, any bool, keep uint64, err error) {
	if s.key == nil {
		return "", false, uint64(s.rows.LocalLen()), nil
	}
	var ends []string // the keys of the first and the last row
	for row := range s.rows.Look() {
		key := s.key(row)
		if len(ends) == 0 {
			ends = []string{key, key}
			keep++
		}
		keep += apps.Differ(key == ends[1])
		ends[1] = key
	}
	all, err := pebble.AllGatherSlice(s.rank, ends, pebble.Strings{})
	if err != nil {
		return "", false, 0, err
	}
	for _, of := range all[:s.rank.ID()] {
		if len(of) > 0 {
			ahead, any = of[1], true
		}
	}
	if any && len(ends) > 0 && ends[0] == ahead {
		keep--
	}
	return ahead, any, keep, nil
}
