package sim

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQueueIsASortedList compares the queue with a sorted list.
func TestQueueIsASortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 50 {
		ranks := 1 + rng.IntN(60)
		q := newQueue(ranks)
		list := map[int]entry{} // by rank
		for range 400 {
			rank, key := rng.IntN(ranks), instant(rng.IntN(30))
			held, in := list[rank]
			switch rng.IntN(4) {
			case 0:
				if !in {
					q.push(key, tie(9, rank))
					list[rank] = entry{key, tie(9, rank)}
				}
			case 1:
				q.sooner(rank, key)
				if in {
					list[rank] = entry{min(held.key, key), held.tie}
				}
			case 2:
				q.later(rank, key)
				if in {
					list[rank] = entry{max(held.key, key), held.tie}
				}
			default:
				if len(list) == 0 {
					require.Equal(t, never, q.first())
					continue
				}
				var all []entry
				for _, s := range list {
					all = append(all, s)
				}
				want := slices.MinFunc(all, func(a, b entry) int {
					if a.before(b) {
						return -1
					}
					return 1
				})
				require.Equal(t, want.key, q.first())
				rank, key := q.pop()
				require.Equal(t, want, entry{key, tie(9, rank)})
				delete(list, rank)
			}
		}
	}
}

// TestGate requires that frames that enter out of order pass like frames in order: on arrival when the gate is free,
// and never at the same time as another.
func TestGate(t *testing.T) {
	var g gate
	require.EqualValues(t, 100, g.enter(100, 10))
	require.EqualValues(t, 20, g.enter(20, 10), "it comes before the one that was sent first")
	require.EqualValues(t, 30, g.enter(25, 5))
	require.EqualValues(t, 110, g.enter(105, 50))
	require.EqualValues(t, 160, g.enter(34, 70), "there is no room for it before")
	require.EqualValues(t, 35, g.enter(34, 65), "and for this one just enough")
	require.EqualValues(t, 0, g.enter(0, 20))

	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var g gate
		type pass struct{ came, from, to instant }
		var all []pass
		for range 100 {
			came, takes := instant(rng.IntN(2000)), instant(1+rng.IntN(20))
			from := g.enter(came, takes)
			require.GreaterOrEqual(t, from, came)
			all = append(all, pass{came, from, from + takes})
		}
		slices.SortFunc(all, func(a, b pass) int { return int(a.from - b.from) })
		for i := 1; i < len(all); i++ {
			require.LessOrEqual(t, all[i-1].to, all[i].from, "seed %d: two at a time", seed)
		}
		require.LessOrEqual(t, len(g.gaps), gapsMost)
	}
}

// TestGateInOrder requires that a gate in order is a plain queue.
func TestGateInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var g gate
	came, free := instant(0), instant(0)
	for range 10_000 {
		came += instant(rng.IntN(20))
		takes := instant(rng.IntN(20))
		want := max(came, free)
		require.Equal(t, want, g.enter(came, takes))
		free = want + takes
	}
}

// FuzzNetwork reads files of networks. Check accepts a network that was read, and none of its times exceeds the limits.
func FuzzNetwork(f *testing.F) {
	f.Add([]byte(`{"Name":"n","Host":{"Latency":1e-6},"RanksPerProcess":2}`))
	f.Add([]byte(`{"Host":{"Latency":-1}}`))
	f.Add([]byte(`{"Host":{"Latency":1e999}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		name := filepath.Join(t.TempDir(), "network.json")
		require.NoError(t, os.WriteFile(name, text, 0o600))
		n, err := Load(name)
		if err != nil {
			return
		}
		require.NoError(t, n.Check())
		for _, l := range []Link{n.Process, n.Host, n.Between} {
			require.True(t, l.Latency >= 0 && l.Latency <= spanMax)
		}
	})
}
