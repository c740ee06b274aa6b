package worlds

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// tables are two tables of rows with few keys and numbers, so that many are equal. After an epoch one is sorted or
// grouped, or both are joined.
type tables struct {
	*containers
	sides [2]*container.Table[row]
}

type row struct {
	Key    string
	Number uint64
}

// enough is room for all rows, for which the system need not be asked what it has.
const enough = 1 << 20

func newTables(c *containers) *tables {
	t := &tables{containers: c}
	space := container.Space{Memory: int64(cmp.Or(c.program.KeptSpace, enough))}
	for i, name := range []string{"kept left", "kept right"} {
		t.sides[i] = container.NewTable[row](c.program.rank, name, space)
	}
	return t
}

// add adds this rank's rows of an epoch.
func (t *tables) add(epoch int) {
	for side, table := range t.sides {
		for _, p := range t.rows(t.program.rank.ID(), epoch, side) {
			table.Add(row{t.keys[p.Label], p.Number})
		}
	}
}

func (t *tables) pair(r row) pair { return pair{uint64(t.labels[r.Key]), r.Number} }

// gathered are the rows of all ranks, in order.
func (t *tables) gathered(table *container.Table[row]) ([]pair, error) {
	var mine []pair
	for r := range table.LocalAll() {
		mine = append(mine, t.pair(r))
	}
	all, err := pebble.AllGatherSlice(t.program.rank, mine)
	return slices.Concat(all...), err
}

func byBoth(a, b pair) int {
	return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.Number, b.Number))
}

// sameRows compares rows whatever their order.
func sameRows(what string, got, want []pair) error {
	got, want = slices.SortedFunc(slices.Values(got), byBoth), slices.SortedFunc(slices.Values(want), byBoth)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s has the rows %d, not %d", what, got, want)
	}
	return nil
}

// compare sorts one of the tables, groups it, or joins both, as the epoch says.
func (t *tables) compare(epoch int, want [2][]pair) error {
	seed := mix(mix(t.program.Seed, uint64(epoch)), 47)
	var before [2][]pair
	for side, table := range t.sides {
		var err error
		if before[side], err = t.gathered(table); err != nil {
			return err
		}
		if err := sameRows("a table", before[side], want[side]); err != nil {
			return err
		}
	}
	side := int(seed % 2)
	switch mix(seed, 1) % 4 {
	case 0:
		return t.group(t.sides[side], want[side], mix(seed, 2)%2 == 0)
	case 1:
		return t.join(want, container.JoinKind(mix(seed, 3)%4))
	default:
		return t.sort(t.sides[side], before[side], mix(seed, 4)%4)
	}
}

// sort sorts a table in one of four ways. before is all rows in the order in which they were.
func (t *tables) sort(table *container.Table[row], before []pair, how uint64) (err error) {
	byKey := func(a, b row) int { return cmp.Compare(a.Key, b.Key) }
	compare := func(a, b pair) int { return cmp.Compare(t.keys[a.Label], t.keys[b.Label]) }
	switch how {
	case 0:
		err = container.SortBy(table, func(r row) string { return r.Key })
	case 1:
		compare = func(a, b pair) int { return cmp.Compare(a.Number, b.Number) }
		err = container.SortBy(table, func(r row) uint64 { return r.Number })
	case 2:
		err = table.SortFunc(byKey)
	default:
		err = container.SortStableFunc(table, byKey)
	}
	if err != nil {
		return err
	}
	got, err := t.gathered(table)
	if err != nil {
		return err
	}
	want := slices.SortedStableFunc(slices.Values(before), compare)
	if how == 3 && !slices.Equal(got, want) {
		return fmt.Errorf("rows that were sorted, and equal ones kept in order, are %d, not %d", got, want)
	}
	if !slices.EqualFunc(got, want, func(a, b pair) bool { return compare(a, b) == 0 }) {
		return fmt.Errorf("rows that were sorted in way %d are %d, not %d", how, got, want)
	}
	return sameRows("a sorted table", got, before)
}

// group adds up the numbers of rows with one key, or takes each row once.
func (t *tables) group(table *container.Table[row], rows []pair, distinct bool) error {
	if distinct {
		made, err := container.Distinct(table)
		if err != nil {
			return err
		}
		got, err := t.gathered(made)
		if err != nil {
			return err
		}
		return sameRows("what is distinct", got, slices.Compact(slices.SortedFunc(slices.Values(rows), byBoth)))
	}
	groups, err := container.GroupBy(table, func(r row) string { return r.Key }, func(r row) uint64 { return r.Number },
		pebble.Sum)
	if err != nil {
		return err
	}
	var mine, want []pair
	for g := range groups.LocalAll() {
		mine = append(mine, pair{uint64(t.labels[g.Key]), g.Value})
	}
	all, err := pebble.AllGatherSlice(t.program.rank, mine)
	if err != nil {
		return err
	}
	sums := map[uint64]uint64{}
	for _, p := range rows {
		sums[p.Label] += p.Number
	}
	for label, sum := range sums {
		want = append(want, pair{label, sum})
	}
	return sameRows("a table of groups", slices.Concat(all...), want)
}

// alone is beside a left row that has no right one, or is to be alone.
const alone = 99

// join joins both tables. A result is the label of a row, and both numbers.
func (t *tables) join(rows [2][]pair, kind container.JoinKind) error {
	var mine, want []pair
	key := func(r row) string { return r.Key }
	if err := container.Join(t.sides[0], t.sides[1], key, key, kind, func(l row, r *row) {
		result := t.pair(l)
		if result.Number = 100*result.Number + alone; r != nil {
			result.Number += r.Number - alone
		}
		mine = append(mine, result)
	}); err != nil {
		return err
	}
	all, err := pebble.AllGatherSlice(t.program.rank, mine)
	if err != nil {
		return err
	}
	for _, l := range rows[0] {
		found := false
		for _, r := range rows[1] {
			if r.Label != l.Label {
				continue
			}
			found = true
			if kind == container.Inner || kind == container.Left {
				want = append(want, pair{l.Label, 100*l.Number + r.Number})
			}
		}
		if found && kind == container.Semi || !found && (kind == container.Left || kind == container.Anti) {
			want = append(want, pair{l.Label, 100*l.Number + alone})
		}
	}
	return sameRows(fmt.Sprintf("a join of kind %d", kind), slices.Concat(all...), want)
}
