package join

import (
	"fmt"
	"slices"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// files joins the tables of files, on one rank. Rows of results are a key, the place of the left row, whether there is
// a right one, its place, and the values of both.
type files struct {
	rank    *pebble.Rank
	config  Config
	sides   [2]side // left and right
	results *table.Sorting[string, string]
	out     *apps.RowWriter
	row     []byte
	found   Answer // by this rank
	all     Answer // by all
	unequal uint64 // pairs whose keys are not equal
}

// side is one of the two tables. Its rows are a key, a place, and the values of the columns that results have.
type side struct {
	table   *container.Table[string]
	on      []string // the columns of the key
	columns []table.Column
	alone   Answer // of rows without a key, which no other row has
	rows    uint64 // of this rank
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
	on, err := in.Find(s.on)
	if err != nil {
		return err
	}
	isLeft := number == 0
	var key []byte
	for record := range in.All() {
		s.rows++
		f.config.Progress.Passed(f.rank, progressEvery, s.rows-1, s.rows, 0)
		hasKey := true
		key = key[:0]
		for _, at := range on {
			hasKey = hasKey && record.Values[at].Kind != table.Null
			key = table.AppendKey(key, record.Values[at])
		}
		f.row = table.AppendPlace(append(f.row[:0], key...), record.At)
		for at, v := range record.Values {
			if isLeft || !slices.Contains(on, at) {
				f.row = table.Append(f.row, v)
			}
		}
		switch row := string(f.row); {
		case hasKey:
			s.table.Add(row)
		case isLeft && (f.config.Kind == Left || f.config.Kind == Anti):
			s.alone.result(rowOf(row), nil)
			f.result(row, "")
		}
	}
	columns, report, err := in.Report(f.rank)
	result.Read(report)
	for at, column := range columns {
		if isLeft || !slices.Contains(on, at) {
			s.columns = append(s.columns, column)
		}
	}
	return err
}

// rowOf is a row for an answer: it stands for a hash of all of it.
func rowOf(row string) Row { return Row{Payload: distribution.HashString(row)} }

// keyLen is the length of the key of a row.
func (f *files) keyLen(row string) int { return table.KeyLen(row, len(f.config.On)) }

// result adds a result of a left row and a right one; "" is none.
func (f *files) result(left, right string) {
	size := f.keyLen(left)
	values := table.SkipPlace(left[size:])
	f.row = append(f.row[:0], left[:len(left)-len(values)]...)
	if right == "" {
		f.row = append(append(f.row, 0), values...)
		f.results.Add(string(f.row))
		return
	}
	rest := right[f.keyLen(right):]
	others := table.SkipPlace(rest)
	f.row = append(append(f.row, 1), rest[:len(rest)-len(others)]...)
	f.row = append(append(f.row, values...), others...)
	f.results.Add(string(f.row))
}

func (f *files) join() error {
	key := func(row string) string { return row[:f.keyLen(row)] }
	kind := container.JoinKind(slices.Index(Kinds, f.config.Kind))
	err := container.Join(f.sides[0].table, f.sides[1].table, key, key, kind, func(l string, r *string) {
		if r == nil {
			f.found.result(rowOf(l), nil)
			f.result(l, "")
			return
		}
		right := rowOf(*r)
		f.found.result(rowOf(l), &right)
		f.result(l, *r)
		if key(l) != key(*r) {
			f.unequal++
		}
	})
	if err != nil {
		return err
	}
	return f.results.Sort()
}

// total adds up the results of all ranks.
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
	alone, err := pebble.AllReduce(f.rank, f.sides[0].alone, Answer.add)
	if err != nil {
		return err
	}
	answer := f.all.add(alone)
	result.Results, result.Checksum = answer.Results, fmt.Sprintf("%016x", answer.Sum)
	spilled, err := spilledBy(f.rank, f.sides[0].table.Spilled(), f.sides[1].table.Spilled())
	result.SpilledBytes, result.Runs = spilled.Bytes, spilled.Runs
	return err
}

// verify compares the results with the sums of the rows of each key, and writes them in order.
func (f *files) verify(result *Result) error {
	want, keys, err := f.byKeys()
	if err != nil {
		return err
	}
	result.Keys = keys
	if err := f.all.judge(&result.Report, f.rank, want); err != nil {
		return err
	}
	sums, err := table.WriteInOrder(&result.Report, f.results, f.out, f.columns(), f.values)
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

// byKeys computes the answer from sums of the rows of each key on either side, and the number of keys. All ranks call
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
				one[i].result(rowOf(row), nil)
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

// columns are those of results: of the left table, and then of the right one but for its key. A name that both have
// gets _right in the right one.
func (f *files) columns() []table.Column {
	all := slices.Clone(f.sides[0].columns)
	if f.config.Kind == Semi || f.config.Kind == Anti {
		return all
	}
	for _, column := range f.sides[1].columns {
		for slices.ContainsFunc(all, func(other table.Column) bool { return other.Name == column.Name }) {
			column.Name += "_right"
		}
		if f.config.Kind == Left {
			column = column.Optional()
		}
		all = append(all, column)
	}
	return all
}

// values appends the values of a result.
func (f *files) values(dst []table.Value, row string) []table.Value {
	left, right := len(f.sides[0].columns), len(f.sides[1].columns)
	rest := table.SkipPlace(row[f.keyLen(row):])
	pair := rest[0] == 1
	if rest = rest[1:]; pair {
		rest = table.SkipPlace(rest)
		dst, _ = table.Values(dst, rest, left+right)
		return dst
	}
	dst, _ = table.Values(dst, rest, left)
	if f.config.Kind == Left {
		dst = append(dst, make([]table.Value, right)...)
	}
	return dst
}
