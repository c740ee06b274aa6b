package container

import (
	"cmp"
	"errors"
	"math"
	"reflect"
	"slices"
	"sort"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// samples is the size of the sample of a rank, and of each of its runs, from which sorting computes the first rows of
// ranks. The fullest of P ranks then has about 1.2 times the mean.
const samples = 256

// Sort sorts a table of numbers or strings. All ranks call it.
//
// Afterwards the rows of each rank are in order, and none comes after a row of the next rank. The ranks' numbers of
// rows are nearly equal, so equal rows may be on several ranks. Rows go to their ranks as pebbles, each once (sample
// sort). Integers and floats are sorted by their digits, strings by 8 bytes at a time. Rows that have no room in memory
// are sorted in runs, which iterations merge.
func Sort[R cmp.Ordered](t *Table[R]) error {
	o := order[R]{compare: cmp.Compare[R]}
	switch t := reflect.TypeFor[R](); {
	case t.Kind() == reflect.Uint64, t.Kind() == reflect.Uint && t.Size() == 8:
		o.sort = func(rows []R) { sortWords(rows, 0) }
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int && t.Size() == 8:
		o.sort = func(rows []R) { sortWords(rows, sign) }
	case t.Kind() == reflect.String:
		o.sort = func(rows []R) { sortByText(rows, func(r *R) string { return *(*string)(unsafe.Pointer(r)) }) }
	default:
		number := ordinal[R]()
		o.sort = func(rows []R) { sortByKey(rows, func(r *R) uint64 { return number(*r) }) }
	}
	return sortRows(t.mover, o)
}

// SortBy sorts a table by a key of its rows, as [Sort] does. The order of rows with equal keys is undefined.
func SortBy[R any, K cmp.Ordered](t *Table[R], key func(row R) K) error {
	o := order[R]{compare: func(a, b R) int { return cmp.Compare(key(a), key(b)) }}
	if number := ordinal[K](); number != nil {
		o.sort = func(rows []R) { sortByKey(rows, func(r *R) uint64 { return number(key(*r)) }) }
	} else {
		o.sort = func(rows []R) {
			sortByText(rows, func(r *R) string {
				k := key(*r)
				return *(*string)(unsafe.Pointer(&k))
			})
		}
	}
	return sortRows(t.mover, o)
}

// SortFunc sorts a table in the order of compare, a strict weak order (see slices.SortFunc), by the method of [Sort].
// The order of equal rows is undefined. All ranks call it.
func (t *Table[R]) SortFunc(compare func(a, b R) int) error {
	return sortFunc(t.mover, compare)
}

// SortStableFunc is Table.SortFunc that keeps the order of equal rows: by rank, and on a rank in the order of Add. It
// takes 8 bytes more for each row, and holds the rows twice for a while.
func SortStableFunc[R any](t *Table[R], compare func(a, b R) int) error {
	before, err := pebble.ExclusiveScan(t.rank, uint64(rowCount(&t.part)), 0, pebble.Sum)
	if err != nil {
		return err
	}
	stable := &mover[Entry[uint64, R]]{
		base:    &base{rank: t.rank, engine: t.engine, name: t.name + " stable"},
		options: t.options, space: t.space, disk: t.disk,
	}
	w := wireOf[uint64, R]()
	w.values = t.rows
	if stable.rows = codecs.NewItem[Entry[uint64, R]]("row"); t.rows.Coded() {
		stable.rows.Value = w.entries()
	}
	stable.part = newPart(stable, nil)
	for _, row := range rowsOf(&t.part) {
		addRow(&stable.part, Entry[uint64, R]{before, row})
		before++
	}
	clearRows(&t.part)
	if err := sortFunc(stable, func(a, b Entry[uint64, R]) int {
		return cmp.Or(compare(a.Value, b.Value), cmp.Compare(a.Key, b.Key))
	}); err != nil {
		return err
	}
	sorted := newPart(t.mover, &order[R]{compare: compare, sort: func(rows []R) { slices.SortStableFunc(rows, compare) }})
	for _, row := range rowsOf(&stable.part) {
		addRow(&sorted, row.Value)
	}
	replace(t.mover, sorted)
	clearRows(&stable.part)
	return nil
}

func sortFunc[R any](m *mover[R], compare func(a, b R) int) error {
	return sortRows(m, order[R]{compare: compare, sort: func(rows []R) { slices.SortFunc(rows, compare) }})
}

// replace replaces the rows of this rank.
func replace[R any](m *mover[R], p part[R]) {
	clearRows(&m.part)
	m.part = p
	arrange(&m.part)
}

// sortRows is the sample sort.
func sortRows[R any](m *mover[R], o order[R]) error {
	if o.compare == nil {
		return failed(m.base, errors.New("no function to compare rows is given: give one"))
	}
	ends, err := splitters(m, o.compare)
	if err != nil {
		return err
	}
	const step = math.Phi - 1
	// u distributes equal rows over ranks: its values are spread evenly over 0 to 1 for every start.
	u := math.Mod(step*float64(m.rank.ID()), 1)
	return exchange(m, &o, "sort", func(row R) int {
		to, equal := slices.BinarySearchFunc(ends, row, func(e end[R], row R) int { return o.compare(e.row, row) })
		if !equal {
			return to
		}
		if u += step; u >= 1 {
			u--
		}
		for to < len(ends) && u >= ends[to].share && o.compare(ends[to].row, row) == 0 {
			to++
		}
		return to
	})
}

// end is the last row of a rank. share is the fraction of all rows equal to it that are on that rank and those before.
type end[R any] struct {
	row   R
	share float64
}

// weighed is a sampled row. Weight is the number of rows that it represents.
type weighed[R any] struct {
	Row    R
	Weight float64
}

// exchangeWeights gives all ranks the weighed values of all ranks.
func exchangeWeights[T any](b *base, codec codecs.Value, all *[]weighed[T]) error {
	values := newCollection(b, "AllGatherSlice", codecs.Struct(reflect.TypeFor[weighed[T]](),
		codecs.Tag[float64](unsafe.Offsetof(weighed[T]{}.Weight)), codecs.Field{Value: codec}))
	values.addAll(place(all))
	return values.allGather(place(all))
}

// splitters returns the ends of all ranks except the last one, computed from samples.
func splitters[R any](m *mover[R], compare func(a, b R) int) (ends []end[R], err error) {
	rows, mean := sampledRows(&m.part), 0.0
	if err := exchangeWeights(m.base, m.rows.Value, &rows); err != nil {
		return nil, err
	}
	sort.SliceStable(rows, func(i, j int) bool { return compare(rows[i].Row, rows[j].Row) < 0 })
	for _, w := range rows {
		mean += w.Weight / float64(m.rank.Size())
	}
	before := 0.0
	for len(rows) > 0 {
		first, n, weight := rows[0].Row, 0, 0.0
		for ; n < len(rows) && compare(rows[n].Row, first) == 0; n++ {
			weight += rows[n].Weight
		}
		for rest := mean*float64(len(ends)+1) - before; len(ends) < m.rank.Size()-1 && weight >= rest; rest += mean {
			ends = append(ends, end[R]{first, rest / weight})
		}
		before, rows = before+weight, rows[n:]
	}
	return ends, nil
}

// sampledRows returns a sample of the rows.
func sampledRows[R any](p *part[R]) (all []weighed[R]) {
	draw := draw(p, slices.Clone(p.sample))
	for _, row := range draw {
		all = append(all, weighed[R]{row, float64(rowCount(p)) / float64(len(draw))})
	}
	return all
}

// exchange runs an epoch that sends each row to the rank to(row), and sorts the rows there by o.
func exchange[R any](m *mover[R], o *order[R], why string, to func(row R) int) error {
	mean, err := sum(m.base, rowCount(&m.part))
	if err != nil {
		return err
	}
	arrived := newPart(m, o)
	arrived.most = m.space.Memory / arrivedShare
	arrived.rows.last = make([]R, 0, min(int(mean)/m.rank.Size()/8*9, int(arrived.most/arrived.each)))
	own, stayed := m.rank.ID(), 0
	if err := moveRows(m, why, func(row R, send func(row R, to int)) {
		if rank := to(row); rank != own {
			send(row, rank)
			return
		}
		addRow(&arrived, row)
		if stayed++; stayed%chunk == 0 {
			m.rank.Poll() // runs handlers, as sends do
		}
	}, func(rows []R) {
		for _, row := range rows {
			addRow(&arrived, row)
		}
	}); err != nil {
		return err
	}
	replace(m, arrived)
	return nil
}

// arrivedShare is the divisor of the memory for arriving rows: the other rows are there too, and sorting takes up to
// five times the room of the rows.
const arrivedShare = 12

// moveRows runs an epoch that calls each with the rows of this rank. each sends rows to ranks, where arrive receives
// them, as a handler.
func moveRows[R any](m *mover[R], why string, each func(row R, send func(row R, to int)), arrive func(rows []R)) error {
	moves := newMoves(m.base, m.rows, m.options, arrive)
	defer moves.Free()
	return m.rank.Epoch(func() error {
		batch := make([]placed[R], 0, chunk)
		send := func(row R, to int) {
			if batch = append(batch, placed[R]{row, uint32(to)}); len(batch) == chunk {
				moves.SendAll(batch)
				batch = batch[:0]
			}
		}
		for _, row := range rowsOf(&m.part) {
			each(row, send)
		}
		moves.SendAll(batch)
		return nil
	}, pebble.Named(m.name+" "+why))
}

// newMoves registers a target that takes values to the ranks in them.
func newMoves[V any](b *base, values codecs.Item, options []target.Option,
	handle func(vs []V)) *target.Target[placed[V]] {
	var vs []V
	together := borrows(&values)
	travels := codecs.Struct(reflect.TypeFor[placed[V]](), codecs.Tag[uint32](unsafe.Offsetof(placed[V]{}.To)),
		codecs.Field{Value: values.Value})
	toRanks := distribution.Ranks(b.rank.Size())
	return target.New(b.rank, b.name+" moves", toRanks, target.Keys(func(ps []placed[V], ranks []uint64) {
		for i := range ps {
			ranks[i] = uint64(ps[i].To)
		}
	}), target.Batch(func(ps []placed[V]) {
		for _, p := range ps {
			vs = append(vs, p.V)
		}
		if together {
			keepTogether(as[string](vs))
		}
		handle(vs)
		clear(vs)
		vs = vs[:0]
	}), coded[placed[V]](travels, options)...)
}

// keepTogether copies strings into one new piece of memory.
func keepTogether(all []string) {
	n := 0
	for _, s := range all {
		n += len(s)
	}
	b := make([]byte, 0, n)
	for i, s := range all {
		at := len(b)
		b = append(b, s...)
		all[i] = text(b[at:])
	}
}
