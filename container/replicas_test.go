package container_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// The most frequent keys have copies, which are of the time of the call and may end again; others are read as they are.
func TestReplicate(t *testing.T) {
	const n = 800 // keys that a rank reads one after the other
	require.NoError(t, appstest.Job(t, pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
		s := task.New(r)
		m := container.NewMap[string, uint64](r, "map")
		reads := container.NewReads(m, s)
		put := func(add uint64) {
			appstest.Epoch(r, func() {
				for i := r.ID(); i < 5000; i += r.Size() {
					m.Put(words(i), uint64(i)+add)
				}
			})
		}
		// as requires that keys 0, 2, 4 and 6 were copied when so much was added, and others are as they are now
		as := func(copied, now uint64) {
			require.NoError(t, s.Run(func() {
				var keys []string
				for i := range n {
					k, want := i+7, uint64(i+7)+now
					if i%2 == 0 {
						k, want = i%8, uint64(i%8)+copied
					}
					v, ok := reads.Get(words(k))
					require.True(t, ok)
					require.Equal(t, want, v, "key %d", k)
					if keys = append(keys, words(k)); k < 8 {
						require.True(t, reads.Contains(words(k)))
					}
				}
				found := make([]container.Found[uint64], n)
				reads.GetMany(append(keys[:n-1], "none"), found)
				require.Equal(t, container.Found[uint64]{Value: copied + 2, OK: true}, found[2])
				require.Equal(t, container.Found[uint64]{Value: n + 4 + now, OK: true}, found[n-3])
				require.False(t, found[n-1].OK)
			}))
		}
		put(0)
		as(0, 0)
		require.NoError(t, reads.Replicate(4))
		for now := uint64(100); now < 400; now += 100 { // reads of copies count as well, so that they stay
			put(now)
			as(now-100, now)
			require.NoError(t, reads.Replicate(4))
		}
		require.NoError(t, reads.Replicate(0))
		put(500)
		as(500, 500)
		require.ErrorContains(t, reads.Replicate(-1), "-1 replicas: give 0 or more")
		return nil
	}))
}

// What is read most has copies, whoever owns it: an owner that is asked much looks at fewer of its questions.
func TestReplicateComparesOwners(t *testing.T) {
	require.NoError(t, pebble.Run(t.Context(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		s := task.New(r)
		m := container.NewMap[uint64, uint64](r, "map")
		reads := container.NewReads(m, s)
		var of [2][]uint64 // keys, by their owners: each of the first one's is read 5 times as often as one of the other's
		for k := uint64(0); len(of[0]) < 10 || len(of[1]) < 4; k++ {
			of[m.Owner(k)] = append(of[m.Owner(k)], k)
		}
		keys := slices.Concat(slices.Repeat(of[0][:10], 5), of[1][:4])
		put := func(v uint64) error {
			return r.Epoch(func() error {
				for _, k := range keys {
					m.Put(k, v)
				}
				return nil
			})
		}
		found := make([]container.Found[uint64], len(keys))
		err := errors.Join(put(1), s.Run(func() {
			for range 4000 {
				reads.GetMany(keys, found)
			}
		}), reads.Replicate(4), put(2))
		if err != nil {
			return err
		}
		return s.Run(func() {
			reads.GetMany(keys, found)
			for i, f := range found {
				require.True(t, f.Value == 2 || m.Owner(keys[i]) == 0, "a key of rank 1 has a copy")
			}
		})
	}))
}

// Many ranks read and count keys that are as frequent as Zipf's law says. Without copies the owner of the first one
// answers for many; with copies no rank handles more than twice the mean. Counting merges on the way.
func TestFrequentKeysAreSpread(t *testing.T) {
	ranks, each := 64, 2000
	if testing.Short() {
		ranks, each = 16, 1000
	}
	seed := seeds.Of(t)
	handled := make([][3]uint64, ranks) // by reads without copies, with copies, by counting
	w, err := sim.New(sim.Config{Ranks: ranks, Processes: ranks, Seed: 1})
	require.NoError(t, err)
	spread := func(r *pebble.Rank) error {
		s := task.New(r)
		m := container.NewMap[uint64, uint64](r, "map")
		counts := container.NewCounter[uint64](r, "counts")
		reads := container.NewReads(m, s)
		appstest.Epoch(r, func() {
			for k := r.ID(); k < 100_000; k += r.Size() {
				m.Put(uint64(k), uint64(k))
			}
		})
		zipf := rand.NewZipf(rand.New(rand.NewPCG(seed, uint64(r.ID()))), 1.1, 1, 99_999)
		keys := make([]uint64, each)
		for i := range keys {
			keys[i] = zipf.Uint64()
		}
		measure := func(what int, body func() error) error {
			before := r.Counters().PebblesHandled
			err := body()
			handled[r.ID()][what] = r.Counters().PebblesHandled - before
			return err
		}
		read := func() error {
			return s.Run(func() {
				found := make([]container.Found[uint64], len(keys))
				reads.GetMany(keys, found)
				for i, f := range found {
					require.True(t, f.OK && f.Value == keys[i])
				}
			})
		}
		require.NoError(t, measure(0, read))
		require.NoError(t, reads.Replicate(1024))
		require.NoError(t, measure(1, read))
		return measure(2, func() error {
			return r.Epoch(func() error {
				counts.AddAll(keys)
				return nil
			})
		})
	}
	require.NoError(t, w.Each(func(p netio.Transport) error {
		return pebble.Run(t.Context(), pebble.Config{Transport: p}, spread)
	}))
	over := func(what int) float64 { // the rank that handles most, over the mean
		most, sum := uint64(0), uint64(0)
		for _, of := range handled {
			most, sum = max(most, of[what]), sum+of[what]
		}
		return float64(most) * float64(ranks) / float64(sum)
	}
	t.Logf("over the mean: %.2f, with copies %.2f, counting %.2f", over(0), over(1), over(2))
	require.Greater(t, over(0), 1.3*over(1))
	require.LessOrEqual(t, over(1), 2.0)
	require.LessOrEqual(t, over(2), 2.0)
}
