package group

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// grouper is one rank's part of a run.
type grouper[S stats] struct {
	rank    *pebble.Rank
	config  Config
	in      *table.Source
	by      []int // columns of the key
	numbers []int // columns with numbers
	columns []table.Column
	results []table.Column // of aggregates
	groups  *container.Map[string, total[S]]
	adds    *container.Reducer[string, total[S]]
	sorted  *table.Sorting[string, string] // keys and the values of aggregates
	out     *apps.RowWriter
	met     weighed
}

func run[S stats](r *pebble.Rank, c Config) (result Result, err error) {
	g := &grouper[S]{rank: r, config: c}
	if g.out, err = apps.NewRowWriter(r, c.Output, c.names()[len(c.By)]); err != nil {
		return result, err
	}
	defer g.out.Abort()
	g.groups = container.NewMap[string, total[S]](r, "groups")
	g.adds = g.groups.NewReducer("groups", total[S].merge)
	g.sorted = table.NewRows(r, "groups in order", c.Space)
	result = Result{Report: apps.NewReport(r, "group", c.Seed), By: c.By}
	err = result.RunPhases(r, apps.Phases{
		Load: g.open, Kernel: func() error { return g.group(&result) }, Sum: func() error { return g.total(&result) },
		Rate:   func() { result.RowsPerSecond = apps.Rate(float64(result.Count), result.Seconds) },
		Verify: func() error { return g.verify(&result) }, Free: g.sorted.Clear,
	})
	return result, err
}

// names returns the names of the result's columns. An aggregate with the name of a column of the key gets the suffix
// _group.
func (c Config) names() []string {
	names := slices.Clone(c.By)
	for _, a := range c.Aggregates {
		name := a.name()
		for slices.Contains(names, name) {
			name += "_group"
		}
		names = append(names, name)
	}
	return names
}

func (g *grouper[S]) open() (err error) {
	if g.in, err = table.Open(g.rank, g.config.Files, g.config.Options()...); err != nil {
		return err
	}
	if g.by, err = g.in.Find(g.config.By); err != nil {
		return err
	}
	if g.numbers, err = g.in.Find(g.config.numbers()); err != nil {
		return err
	}
	g.in.Check = func(values []table.Value) error {
		for _, at := range g.numbers {
			if _, ok := values[at].Number(); !ok && values[at].Kind != table.Null {
				return fmt.Errorf("column %q: %.40q is not a number", g.in.Columns[at], values[at].String())
			}
		}
		return nil
	}
	return nil
}

const progressEvery = 1 << 20 // rows of rank 0 between two reports of progress

// group reads this rank's rows, and merges them.
func (g *grouper[S]) group(result *Result) error {
	err := g.rank.Epoch(func() error {
		var key []byte
		for record := range g.in.All() {
			key = key[:0]
			for _, at := range g.by {
				key = table.AppendKey(key, record.Values[at])
			}
			one := total[S]{Rows: 1}
			for i, at := range g.numbers {
				if s, ok := of(record.Values[at]); ok {
					one.Columns[i] = s
				}
			}
			g.adds.Reduce(string(key), one)
			g.met.Rows++
			note(&g.met, string(key), one)
			g.config.Progress.Passed(g.rank, progressEvery, g.met.Rows-1, g.met.Rows, 0)
		}
		return nil // Report returns an error on all ranks
	}, pebble.Named("group"))
	if err != nil {
		return err
	}
	var report ingest.Report
	columns, report, err := g.in.Report(g.rank)
	if err != nil {
		return err
	}
	result.Read(report)
	for _, at := range g.by {
		g.columns = append(g.columns, columns[at])
	}
	g.results = make([]table.Column, len(g.config.Aggregates))
	for k, t := range g.groups.LocalAll() {
		row := []byte(k)
		for i, a := range g.config.Aggregates {
			v := g.value(a, t)
			g.results[i].Meet(v)
			row = table.Append(row, v)
		}
		g.sorted.Add(string(row))
	}
	if g.results, err = table.Agreed(g.rank, g.results); err != nil {
		return err
	}
	return g.sorted.Sort()
}

// value returns the value of an aggregate in a group.
func (g *grouper[S]) value(a Aggregate, t total[S]) table.Value {
	if a.Function == Count {
		return table.UintOf(t.Rows)
	}
	s := t.Columns[slices.Index(g.config.numbers(), a.Column)]
	switch {
	case s.Count == 0:
		return table.Value{}
	case a.Function == Min:
		return s.Min.value(s.Fraction)
	case a.Function == Max:
		return s.Max.value(s.Fraction)
	case a.Function == Mean:
		return table.FloatOf(s.Sum.over(float64(s.Count)).High)
	}
	return s.Sum.over(1).value(s.Fraction)
}

func (g *grouper[S]) total(result *Result) (err error) {
	if result.Count, err = apps.Sum(g.rank, g.met.Rows); err != nil {
		return err
	}
	result.Groups, err = g.groups.Len()
	return err
}

// verify compares rows with groups, and writes the groups in order.
func (g *grouper[S]) verify(result *Result) error {
	var merged weighed
	misplaced := uint64(0)
	for k, t := range g.groups.LocalAll() {
		note(&merged, k, t)
		misplaced += apps.Differ(g.groups.Owner(k) == g.rank.ID())
	}
	const strange = "groups are wrong: they are with a rank that does not own them"
	if err := result.Found(g.rank, misplaced, strange); err != nil {
		return err
	}
	if err := g.met.judge(&result.Report, g.rank, merged); err != nil {
		return err
	}
	for i, name := range g.config.names() {
		switch {
		case i < len(g.columns):
			g.columns[i].Name = name
		case g.config.Aggregates[i-len(g.by)].Function == Count:
			g.columns = append(g.columns, table.CountColumn(name))
		default:
			c := g.results[i-len(g.by)].Numbers()
			c.Name = name
			g.columns = append(g.columns, c)
		}
	}
	sums, err := table.WriteInOrder(&result.Report, g.sorted, g.out, g.columns, g.values)
	if err != nil {
		return err
	}
	result.Checksum, result.SpilledBytes = sums.Before.Checksum(), sums.Spilled.Bytes
	return g.out.Close(&result.Report)
}

// values appends the values of a group: those of its key, then the aggregates.
func (g *grouper[S]) values(dst []table.Value, row string) []table.Value {
	dst = table.KeyValues(dst, row, g.columns[:len(g.by)])
	dst, _ = table.Values(dst, row[table.KeyLen(row, len(g.by)):], len(g.config.Aggregates))
	return dst
}
