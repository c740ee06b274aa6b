package join

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// files joins the tables of files, on one rank. A row of the result is a key; then for the left and the right row
// whether it is present, and its place; then the values of both.
type files struct {
	rank    *pebble.Rank
	config  Config
	sides   [2]side // left and right
	results *table.Sorting[string, string]
	out     *apps.RowWriter
	row     []byte
	found   Answer // on this rank
	all     Answer // on all ranks
	unequal uint64 // pairs with unequal keys
}

// side is one of the two tables. Its rows are a key, a place, and the values of the result's columns.
type side struct {
	table   *container.Table[string]
	on      []string // columns of the key
	at      []int    // their places in the file
	keys    []table.Column
	columns []table.Column
	alone   Answer // results of rows without a key, which match no other row
	rows    uint64 // on this rank
}

// runFiles is Run for tables of files.
func runFiles(r *pebble.Rank, c Config) (result Result, err error) {
	f := newFiles(r, c)
	if f.out, err = apps.NewRowWriter(r, c.Output, ""); err != nil {
		return result, err
	}
	defer f.out.Abort()
	result = Result{Report: apps.NewReport(r, "join", c.Seed), Kind: c.Kind}
	err = result.RunPhases(r, apps.Phases{
		Load: func() error { return f.load(&result) }, Kernel: f.join,
		Sum:    func() error { return f.total(&result) },
		Rate:   func() { result.RowsPerSecond = apps.Rate(float64(result.Left+result.Right), result.Seconds) },
		Verify: func() error { return f.verify(&result) }, Free: f.results.Clear,
		Wrong: func() (uint64, string) { return f.unequal, "results are wrong: their keys are not equal" },
	})
	return result, err
}

func newFiles(r *pebble.Rank, c Config) *files {
	f := &files{rank: r, config: c, results: table.NewRows(r, "results", c.Space)}
	f.sides[0].table = container.NewTable[string](r, "left", c.Space)
	f.sides[1].table = container.NewTable[string](r, "right", c.Space)
	for _, name := range c.On {
		left, right, both := strings.Cut(name, "=")
		if !both {
			right = left
		}
		f.sides[0].on, f.sides[1].on = append(f.sides[0].on, left), append(f.sides[1].on, right)
	}
	return f
}

// load reads this rank's rows.
func (f *files) load(result *Result) error {
	for i := range f.sides {
		if err := f.read(&f.sides[i], i, result); err != nil {
			return err
		}
	}
	return nil
}

// read reads this rank's rows of a side.
func (f *files) read(s *side, number int, result *Result) error {
	in, err := table.Open(f.rank, f.config.Files[number:number+1], f.config.Options()...)
	if err != nil {
		return err
	}
	if s.at, err = in.Find(s.on); err != nil {
		return err
	}
	isLeft := number == 0
	for record := range in.All() {
		s.rows++
		f.config.Progress.Passed(f.rank, progressEvery, s.rows-1, s.rows, 0)
		row, hasKey := f.rowOf(s, record, isLeft)
		switch kind := f.config.Kind; {
		case hasKey:
			s.table.Add(row)
		case isLeft && (kind.outer() || kind == Anti):
			s.alone.result(hashed(row), nil)
			f.result(row, "")
		case !isLeft && kind == Full:
			s.alone.result(hashed(row), nil)
			f.result("", row)
		}
	}
	columns, report, err := in.Report(f.rank)
	result.Read(report)
	if err != nil {
		return err
	}
	for _, at := range s.at {
		s.keys = append(s.keys, columns[at])
	}
	for at, column := range columns {
		if isLeft || !slices.Contains(s.at, at) {
			s.columns = append(s.columns, column)
		}
	}
	return nil
}

// rowOf returns the row of a record: its key, place and values; on the right side, without the values of the key.
func (f *files) rowOf(s *side, record table.Record, isLeft bool) (row string, hasKey bool) {
	f.row, hasKey = f.row[:0], true
	for _, at := range s.at {
		hasKey = hasKey && record.Values[at].Kind != table.Null
		f.row = table.AppendKey(f.row, record.Values[at])
	}
	f.row = table.AppendPlace(f.row, record.At)
	for at, v := range record.Values {
		if isLeft || !slices.Contains(s.at, at) {
			f.row = table.Append(f.row, v)
		}
	}
	return string(f.row), hasKey
}

// hashed returns a row of an answer for a row: its number is a hash of the whole row.
func hashed(row string) Row { return Row{Payload: distribution.HashString(row)} }

// keyLen returns the length of the key of a row.
func (f *files) keyLen(row string) int { return table.KeyLen(row, len(f.config.On)) }

// Marks of a side in a result: results with a row of that side come first.
const (
	present = iota
	absent
)

// result adds a result of a left row and a right one; "" is none.
func (f *files) result(left, right string) {
	key := cmp.Or(left, right)
	f.row = append(f.row[:0], key[:f.keyLen(key)]...)
	var values [2]string
	for i, row := range []string{left, right} {
		if row == "" {
			f.row = append(f.row, absent)
			continue
		}
		place := row[f.keyLen(row):]
		values[i] = table.SkipPlace(place)
		f.row = append(append(f.row, present), place[:len(place)-len(values[i])]...)
	}
	f.row = append(append(f.row, values[0]...), values[1]...)
	f.results.Add(string(f.row))
}

func (f *files) join() error {
	key := func(row string) string { return row[:f.keyLen(row)] }
	err := join(f.config.Kind, f.sides[0].table, f.sides[1].table, key, func(l string, r *string) {
		if r == nil {
			f.found.result(hashed(l), nil)
			f.result(l, "")
			return
		}
		right := hashed(*r)
		f.found.result(hashed(l), &right)
		f.result(l, *r)
		if key(l) != key(*r) {
			f.unequal++
		}
	}, func(r string) {
		f.found.result(hashed(r), nil)
		f.result("", r)
	})
	if err != nil {
		return err
	}
	return f.results.Sort()
}

// total sums the results of all ranks.
func (f *files) total(result *Result) (err error) {
	if f.all, err = pebble.AllReduce(f.rank, f.found, Answer.add); err != nil {
		return err
	}
	if result.Left, err = apps.Sum(f.rank, f.sides[0].rows); err != nil {
		return err
	}
	if result.Right, err = apps.Sum(f.rank, f.sides[1].rows); err != nil {
		return err
	}
	alone, err := pebble.AllReduce(f.rank, f.sides[0].alone.add(f.sides[1].alone), Answer.add)
	if err != nil {
		return err
	}
	answer := f.all.add(alone)
	result.Results, result.Checksum = answer.Results, fmt.Sprintf("%016x", answer.Sum)
	spilled, err := spilledBy(f.rank, f.sides[0].table.Spilled(), f.sides[1].table.Spilled())
	result.SpilledBytes, result.Runs = spilled.Bytes, spilled.Runs
	return err
}

// verify compares the results with sums over the rows of each key, and writes them in order.
func (f *files) verify(result *Result) error {
	want, keys, err := f.byKeys()
	if err != nil {
		return err
	}
	result.Keys = keys
	if err := f.all.judge(&result.Report, f.rank, want); err != nil {
		return err
	}
	columns := f.columns()
	sums, err := table.WriteInOrder(&result.Report, f.results, f.out, columns,
		func(dst []table.Value, row string) []table.Value { return f.values(dst, row, columns) })
	if err != nil {
		return err
	}
	result.SpilledBytes += sums.Spilled.Bytes
	result.Runs += sums.Spilled.Runs
	lost := apps.Differ(sums.Before.Count == result.Results)
	if err := result.FoundOnce(f.rank, lost, "number of results is wrong: rows were lost or doubled"); err != nil {
		return err
	}
	return f.out.Close(&result.Report)
}

// byKeys computes the answer from sums over the rows of each key on either side, and the number of keys. All ranks call
// it.
func (f *files) byKeys() (want Answer, keys uint64, err error) {
	sums := container.NewMap[string, [2]Answer](f.rank, "sums of keys")
	defer sums.Free()
	adds := sums.NewReducer("sums", func(a, b [2]Answer) [2]Answer {
		return [2]Answer{a[0].add(b[0]), a[1].add(b[1])}
	})
	if err := f.rank.Epoch(func() error {
		for i := range f.sides {
			for row := range f.sides[i].table.LocalAll() {
				var one [2]Answer
				one[i].result(hashed(row), nil)
				adds.Reduce(row[:f.keyLen(row)], one)
			}
		}
		return nil
	}, pebble.Named("sums of keys")); err != nil {
		return want, 0, err
	}
	for _, of := range sums.LocalAll() {
		want = want.add(f.config.Kind.of(of[0], of[1]))
	}
	if want, err = pebble.AllReduce(f.rank, want, Answer.add); err != nil {
		return want, 0, err
	}
	keys, err = sums.Len()
	return want, keys, err
}

// columns returns the columns of results: those of the left table, then those of the right one except its key. If both
// have a name, the right one gets the suffix _right.
func (f *files) columns() []table.Column {
	left, right := f.sides[0], f.sides[1]
	all := slices.Clone(left.columns)
	if f.config.Kind.leftOnly() {
		return all
	}
	if f.config.Kind == Full {
		for i := range all {
			if key := slices.Index(left.at, i); key >= 0 {
				all[i] = all[i].With(right.keys[key])
			} else {
				all[i] = all[i].Optional()
			}
		}
	}
	for _, column := range right.columns {
		for slices.ContainsFunc(all, func(other table.Column) bool { return other.Name == column.Name }) {
			column.Name += "_right"
		}
		if f.config.Kind.outer() {
			column = column.Optional()
		}
		all = append(all, column)
	}
	return all
}

// values appends the values of a result.
func (f *files) values(dst []table.Value, row string, columns []table.Column) []table.Value {
	key, rest := row[:f.keyLen(row)], row[f.keyLen(row):]
	var has [2]bool
	for i := range has {
		if has[i], rest = rest[0] == present, rest[1:]; has[i] {
			rest = table.SkipPlace(rest)
		}
	}
	left := len(dst)
	dst, rest = f.sides[0].values(dst, rest, has[0])
	if !has[0] {
		var keys []table.Column
		for _, at := range f.sides[0].at {
			keys = append(keys, columns[at])
		}
		for i, v := range table.KeyValues(nil, key, keys) {
			dst[left+f.sides[0].at[i]] = v
		}
	}
	if !f.config.Kind.leftOnly() {
		dst, _ = f.sides[1].values(dst, rest, has[1])
	}
	return dst
}

// values appends the values of a row, or Null for each if it has none.
func (s *side) values(dst []table.Value, row string, has bool) (all []table.Value, rest string) {
	if !has {
		return append(dst, make([]table.Value, len(s.columns))...), row
	}
	return table.Values(dst, row, len(s.columns))
}
