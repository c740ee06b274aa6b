package container_test

import (
	"cmp"
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

// roomy has room for all rows, and scarce for few.
func roomy(*testing.T) container.Budget { return container.Budget{} }

func scarce(t *testing.T) container.Budget {
	return container.Budget{Memory: 4096, Scratch: t.TempDir()}
}

type spaceOf = func(t *testing.T) container.Budget

// sortTwin sorts random rows by a function, and compares with the rows sorted serially. Rows that compare equal may be
// in any order, unless it is stable.
func sortTwin[R any](t *testing.T, space container.Budget, draw func(random *rand.Rand) R, compare func(a, b R) int,
	stable bool, sort func(table *container.Table[R]) error) {
	seed := seeds.Of(t)
	appstest.Everywhere(t, func(_ *testing.T, ranks int) (func(r *pebble.Rank) error, func(t *testing.T)) {
		rows := make([][]R, ranks)
		for rank := range rows {
			random := rand.New(rand.NewPCG(seed, uint64(rank)))
			for range random.IntN(3) * 700 {
				rows[rank] = append(rows[rank], draw(random))
			}
		}
		want := slices.Concat(rows...)
		slices.SortStableFunc(want, compare)
		return func(r *pebble.Rank) error {
			table := container.NewTable[R](r, "rows", space)
			for range 2 { // a sorted table can be sorted again
				require.NoError(t, table.Clear())
				for _, row := range rows[r.ID()] {
					table.Add(row)
				}
				require.NoError(t, sort(table))
			}
			return sameRows(r, table, want, compare, stable, space.Memory > 0)
		}, nil
	})
}

func sameRows[R any](r *pebble.Rank, table *container.Table[R], want []R, compare func(a, b R) int, stable,
	spilled bool) error {
	ends, n := appstest.Must(pebble.AllGather(r, table.LocalLen())), appstest.Must(table.Len())
	spill := appstest.Must(pebble.AllReduce(r, table.Spilled().Runs, pebble.Sum))
	first := 0
	for _, n := range ends[:r.ID()] {
		first += n
	}
	if int(n) != len(want) || spilled && len(want) > 2000 && spill == 0 {
		return fmt.Errorf("%d rows in place of %d, %d runs", n, len(want), spill)
	}
	at := first
	for row := range table.LocalAll() {
		if w := want[at]; compare(row, w) != 0 || stable && fmt.Sprint(row) != fmt.Sprint(w) {
			return fmt.Errorf("row %d is %v in place of %v", at, row, w)
		}
		at++
	}
	if r.Size() > 1 && len(want) > 1000 && slices.Max(ends) > 2*len(want)/r.Size() {
		return fmt.Errorf("ranks have %v rows", ends)
	}
	return nil
}

func TestSortIsTheSerialOne(t *testing.T) {
	words := func(random *rand.Rand) string { return words(random.IntN(1000)) }
	few := func(random *rand.Rand) uint64 { return uint64(random.IntN(5)) }
	t.Run("numbers", func(t *testing.T) { sortTwin(t, roomy(t), few, cmp.Compare, true, container.Sort[uint64]) })
	t.Run("numbers, spilled", func(t *testing.T) {
		sortTwin(t, scarce(t), (*rand.Rand).Uint64, cmp.Compare, true, container.Sort[uint64])
	})
	t.Run("signed", func(t *testing.T) {
		draw := func(random *rand.Rand) int64 { return random.Int64() - 1<<62 }
		sortTwin(t, roomy(t), draw, cmp.Compare, true, container.Sort[int64])
	})
	t.Run("floats, spilled", func(t *testing.T) {
		odd := []float32{0, float32(math.NaN()), float32(math.Inf(-1)), float32(math.Inf(1)), -1, 1,
			math.SmallestNonzeroFloat32}
		sortTwin(t, scarce(t), func(random *rand.Rand) float32 {
			if n := random.IntN(20); n < len(odd) {
				return odd[n]
			}
			return random.Float32() - 0.5
		}, cmp.Compare, true, container.Sort[float32])
	})
	t.Run("strings", func(t *testing.T) { sortTwin(t, roomy(t), words, cmp.Compare, true, container.Sort[string]) })
	t.Run("strings, spilled", func(t *testing.T) {
		sortTwin(t, scarce(t), words, cmp.Compare, true, container.Sort[string])
	})
}

type row struct {
	Name  string
	Small int8
	Big   float64
}

func drawRow(random *rand.Rand) row {
	return row{words(random.IntN(50)), int8(random.IntN(256)), random.NormFloat64()}
}

func TestSortByIsTheSerialOne(t *testing.T) {
	t.Run("rows", func(t *testing.T) {
		sortTwin(t, roomy(t), drawRow, func(a, b row) int { return cmp.Compare(a.Big, b.Big) }, false,
			func(t *container.Table[row]) error { return container.SortBy(t, func(r row) float64 { return r.Big }) })
	})
	t.Run("rows of 8 bytes", func(t *testing.T) {
		high := func(n uint64) uint32 { return uint32(n>>32) % 99 }
		sortTwin(t, roomy(t), (*rand.Rand).Uint64, func(a, b uint64) int { return cmp.Compare(high(a), high(b)) }, false,
			func(t *container.Table[uint64]) error { return container.SortBy(t, high) })
	})
}

func TestStableSortKeepsTheOrderOfEqualRows(t *testing.T) {
	byName := func(a, b row) int { return cmp.Compare(a.Name, b.Name) }
	for name, space := range map[string]spaceOf{"rows": roomy, "rows, spilled": scarce} {
		t.Run(name, func(t *testing.T) {
			sortTwin(t, space(t), drawRow, byName, true,
				func(t *container.Table[row]) error { return container.SortStableFunc(t, byName) })
		})
	}
}

// Equal rows fill gaps: few go to a rank that is nearly full without them.
func TestEqualRowsFillTheirRanks(t *testing.T) {
	const ranks, each = 4, 5000
	for _, begins := range []float64{0.05, 0.5, 0.95} { // where the equal rows begin, in shares of a rank
		require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			table := container.NewTable[uint64](r, "rows", container.Budget{})
			for i := range uint64(each) { // all ranks have the same rows, so an i stands for ranks rows
				switch at := float64(i) / each * ranks; {
				case at >= begins && at < begins+2:
					table.Add(1 << 32)
				case at < begins:
					table.Add(i)
				default:
					table.Add(1<<33 + i)
				}
			}
			require.NoError(t, container.Sort(table))
			if n := table.LocalLen(); n < each*6/10 || n > each*14/10 {
				return fmt.Errorf("begins at %v: rank %d has %d rows in place of some %d", begins, r.ID(), n, each)
			}
			return nil
		}))
	}
}

// Sorting distributes the rows that are there, also after others were spilled and cleared.
func TestSortAfterClear(t *testing.T) {
	const ranks, each = 4, 3000
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		table := container.NewTable[uint64](r, "rows", container.Budget{Memory: 1 << 16, Scratch: t.TempDir()})
		for i := range uint64(100_000) {
			table.Add(i)
		}
		require.NotZero(t, table.Spilled().Runs)
		require.NoError(t, table.Clear())
		for i := range uint64(each) {
			table.Add(1_000_000 + i*ranks + uint64(r.ID()))
		}
		require.NoError(t, container.Sort(table))
		require.InDelta(t, each, table.LocalLen(), each/5)
		return nil
	}))
}

// Equal rows are distributed over all ranks that may have them, and evenly over ranks without other rows.
func TestEqualRowsAreDealtOut(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 7} {
		require.NoError(t, appstest.Job(t, pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			table := container.NewTable[string](r, "rows", container.Budget{})
			n := 100 * (r.ID() + 1)
			for range n {
				table.Add("the same")
			}
			require.NoError(t, container.Sort(table))
			mean := 100 * (ranks + 1) / 2
			require.InDelta(t, mean, table.LocalLen(), float64(ranks))
			return nil
		}))
	}
}
