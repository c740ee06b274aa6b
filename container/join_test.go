package container_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
)

// same compares the results of all ranks, as text, in any order.
func same(r *pebble.Rank, mine, want []string) error {
	all := appstest.Must(pebble.AllGatherSlice(r, mine, pebble.Strings{}))
	got := slices.Sorted(slices.Values(slices.Concat(all...)))
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
		return fmt.Errorf("%d results, %.300v, in place of %d, %.300v", len(got), got, len(want), want)
	}
	return nil
}

// drawAll draws at most most rows for each rank.
func drawAll[R any](seed uint64, ranks, most int, draw func(random *rand.Rand) R) (rows [][]R) {
	for rank := range ranks {
		random := rand.New(rand.NewPCG(seed, uint64(rank)))
		var mine []R
		for range random.IntN(most + 1) {
			mine = append(mine, draw(random))
		}
		rows = append(rows, mine)
	}
	return rows
}

func TestGroupsAndDistinctRowsAreThoseOfGosMap(t *testing.T) {
	seed := seeds.Of(t)
	for name, of := range map[string]spaceOf{"groups": roomy, "groups, spilled": scarce} {
		t.Run(name, func(t *testing.T) {
			space := of(t)
			appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				rows := drawAll(seed, ranks, 3000, func(random *rand.Rand) row {
					return row{words(int(random.ExpFloat64() * 100)), int8(random.IntN(3)), 0}
				})
				sums, distinct := map[string]int{}, map[row]bool{}
				for _, row := range slices.Concat(rows...) {
					sums[row.Name] += int(row.Small)
					distinct[row] = true
				}
				return func(r *pebble.Rank) error {
					table := container.NewTable[row](r, "rows", space)
					for _, row := range rows[r.ID()] {
						table.Add(row)
					}
					return grouped(r, table, sums, distinct)
				}, nil
			})
		})
	}
}

func grouped(r *pebble.Rank, table *container.Table[row], sums map[string]int, distinct map[row]bool) error {
	groups := appstest.Must(container.GroupBy(table, func(r row) string { return r.Name },
		func(r row) int { return int(r.Small) }, pebble.Sum))
	once := appstest.Must(container.Distinct(table))
	var mine, wanted []string
	for g := range groups.LocalAll() {
		mine = append(mine, fmt.Sprint("sum ", g))
	}
	for k, n := range sums {
		wanted = append(wanted, fmt.Sprint("sum ", container.Entry[string, int]{Key: k, Value: n}))
	}
	for row := range once.LocalAll() {
		mine = append(mine, fmt.Sprint(row))
	}
	for row := range distinct {
		wanted = append(wanted, fmt.Sprint(row))
	}
	return same(r, mine, wanted)
}

// A join agrees with two nested loops: for each kind, with a small or large right table, with and without heavy keys,
// and with and without room in memory.
func TestJoinIsTwoNestedLoops(t *testing.T) {
	seed := seeds.Of(t)
	for _, c := range []struct {
		name         string
		orders, many int
		heavy        float64
		space        spaceOf
	}{
		{"alike", 600, 500, 0, roomy}, {"alike, spilled", 600, 500, 0, scarce},
		{"small right table, spilled", 1500, 12, 0, scarce},
		{"heavy key", 1500, 700, 0.7, roomy}, {"heavy key, spilled", 1500, 700, 0.7, scarce},
		{"no right rows", 300, 0, 0, roomy}, {"no left rows, spilled", 0, 300, 0, scarce},
	} {
		t.Run(c.name, func(t *testing.T) {
			space := c.space(t)
			appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
				orders := drawAll(seed, ranks, c.orders, func(random *rand.Rand) row {
					if random.Float64() < c.heavy {
						return row{words(3), int8(random.IntN(100)), 0}
					}
					return row{words(random.IntN(800)), int8(random.IntN(100)), 0}
				})
				customers := drawAll(seed+1, ranks, c.many, func(random *rand.Rand) row {
					return row{words(random.IntN(600)), 0, random.Float64()}
				})
				want := map[container.JoinKind][]string{}
				byName := map[string][]row{}
				for _, c := range slices.Concat(customers...) {
					byName[c.Name] = append(byName[c.Name], c)
				}
				for _, o := range slices.Concat(orders...) {
					nested(want, o, byName[o.Name])
				}
				return func(r *pebble.Rank) error {
					left, right := container.NewTable[row](r, "orders", space), container.NewTable[row](r, "customers", space)
					for _, o := range orders[r.ID()] {
						left.Add(o)
					}
					for _, c := range customers[r.ID()] {
						right.Add(c)
					}
					for _, kind := range []container.JoinKind{container.Inner, container.Left, container.Semi, container.Anti} {
						if err := joined(r, left, right, kind, want[kind]); err != nil {
							return fmt.Errorf("kind %d: %w", kind, err)
						}
					}
					return nil
				}, nil
			})
		})
	}
}

func nested(want map[container.JoinKind][]string, o row, customers []row) {
	add := func(kind container.JoinKind, more any) { want[kind] = append(want[kind], fmt.Sprint(o, more)) }
	for _, c := range customers {
		add(container.Inner, c)
		add(container.Left, c)
	}
	if len(customers) > 0 {
		add(container.Semi, nil)
	} else {
		add(container.Anti, nil)
		add(container.Left, nil)
	}
}

func joined(r *pebble.Rank, left, right *container.Table[row], kind container.JoinKind, want []string) error {
	var mine []string
	counts := container.NewCounter[string](r, fmt.Sprintf("counts %d %d", kind, len(want)))
	name := func(r row) string { return r.Name }
	appstest.OK(container.Join(left, right, name, name, kind, func(o row, c *row) {
		counts.Add(o.Name, 1) // must not interfere
		if c == nil {
			mine = append(mine, fmt.Sprint(o, nil))
		} else {
			mine = append(mine, fmt.Sprint(o, *c))
		}
	}))
	if n := appstest.Must(sum(r, counts)); int(n) != len(want) {
		return fmt.Errorf("%d results were counted in place of %d", n, len(want))
	}
	return same(r, mine, want)
}

// Left rows stay in place beside a small right table, and so do left rows with a frequent key. So no rank handles many
// more than its share.
func TestFewRowsMove(t *testing.T) {
	const ranks, each = 4, 10_000
	for name, c := range map[string]struct {
		right int
		heavy bool
		moved float64 // rows that a rank handles, over its share of all
	}{"small right table": {each / 100, false, 0.3}, "heavy key": {each, true, 1.5}, "alike": {each, false, 1.5}} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				left := container.NewTable[uint64](r, "left", container.Budget{})
				right := container.NewTable[uint64](r, "right", container.Budget{})
				random := rand.New(rand.NewPCG(1, uint64(r.ID())))
				for range each {
					if k := random.Uint64N(each); c.heavy && k%2 == 0 {
						left.Add(1)
					} else {
						left.Add(k)
					}
				}
				for i := range c.right {
					right.Add(uint64(i*ranks + r.ID()))
				}
				before, n := r.Counters().PebblesHandled, 0
				key := func(i uint64) uint64 { return i }
				require.NoError(t, container.Join(left, right, key, key, container.Semi, func(uint64, *uint64) { n++ }))
				handled := r.Counters().PebblesHandled - before
				require.LessOrEqual(t, float64(handled), c.moved*float64(each+c.right))
				return nil
			}))
		})
	}
}

// Ranks with more or less memory, such as those of other hosts, choose the same method.
func TestJoinWithUnequalMemory(t *testing.T) {
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		left := container.NewTable[uint64](r, "left", container.Budget{})
		right := container.NewTable[uint64](r, "right", container.Budget{Memory: 1 << 20 >> (8 * r.ID())})
		for i := range uint64(20_000) {
			left.Add(i)
		}
		for i := range uint64(400) {
			right.Add(i)
		}
		n, key := 0, func(i uint64) uint64 { return i }
		err := container.Join(left, right, key, key, container.Inner, func(uint64, *uint64) { n++ })
		all, failed := pebble.AllReduce(r, n, pebble.Sum)
		require.NoError(t, errors.Join(err, failed))
		require.Equal(t, 4*400, all)
		return nil
	}))
}

// A NaN joins with nothing, not even with itself.
func TestNaNsDoNotJoin(t *testing.T) {
	nan := float32(math.NaN())
	rows := []float32{0, float32(math.Copysign(0, -1)), nan, 1, nan, float32(math.Inf(1))}
	for kind, want := range map[container.JoinKind]int{
		container.Inner: 6, container.Left: 8, container.Semi: 4, container.Anti: 2,
	} {
		for _, ranks := range []int{1, 3} {
			require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
				table := container.NewTable[float32](r, "rows", container.Budget{})
				if r.ID() == 0 {
					for _, row := range rows {
						table.Add(row)
					}
				}
				n := 0
				key := func(row float32) float32 { return row }
				require.NoError(t, container.Join(table, table, key, key, kind, func(float32, *float32) { n++ }))
				all := appstest.Must(pebble.AllReduce(r, n, pebble.Sum))
				require.Equal(t, want, all, "kind %d on %d ranks", kind, ranks)
				return nil
			}))
		}
	}
}
