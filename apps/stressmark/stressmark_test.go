package stressmark

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everywhere runs a stressmark over all transports and simulated, also on 3 ranks. check gets the result of each rank.
func everywhere[C, R any](t *testing.T, run func(r *pebble.Rank, c C) (R, error), c C,
	check func(t *testing.T, ranks int, got R)) {
	appstest.AllEverywhere(t, run, c, check)
	for _, transport := range []string{"mem", "shm", "tcp"} {
		t.Run("3 ranks, "+transport, func(t *testing.T) {
			for _, got := range appstest.All(t, on(3, transport), run, c) {
				check(t, 3, got)
			}
		})
	}
}

func on(ranks int, transport string) appstest.Shape {
	s := appstest.Shape{Ranks: ranks, Procs: 1, Transport: transport, New: route.Direct, Coalesce: 64}
	if transport != "mem" {
		s.Procs = min(2, ranks)
	}
	return s
}

func (p Report) good(t *testing.T) {
	t.Helper()
	require.Zero(t, p.Errors, "%v", p.Wrong)
	require.Equal(t, 2*p.Misses, p.Counters.PebblesSent)
	switch {
	case p.Procs == 1:
		require.Zero(t, p.Hits+p.Misses+p.Remote)
	case p.Transport == "shm":
		require.Equal(t, p.Misses, p.Remote)
	case p.Transport == "tcp":
		require.Equal(t, p.Hits+p.Misses, p.Remote)
	}
}

func TestPointerEverywhere(t *testing.T) {
	c := PointerConfig{Words: 301, Window: 5, Hops: 40, Stop: 9, Common: apps.Common{Seed: 3}}
	everywhere(t, Pointer, c, func(t *testing.T, ranks int, got PointerResult) {
		got.good(t)
		var hops, ended uint64
		for _, one := range SerialPointer(ranks, c) {
			hops += one.Hops
			if one.Ended {
				ended++
			}
		}
		require.Equal(t, []uint64{hops, ended}, []uint64{got.Hops, got.Ended})
		require.GreaterOrEqual(t, got.Near+got.Remote, got.Hops, "an access a hop, or more at the borders of parts")
		require.Less(t, got.Near+got.Remote, 2*got.Hops)
	})
}

func TestUpdateEverywhere(t *testing.T) {
	c := PointerConfig{Words: 61, Window: 3, Hops: 100, Stop: 1, Common: apps.Common{Seed: 6}}
	want, _ := SerialUpdate(c)
	require.Greater(t, want.Hops, uint64(20))
	everywhere(t, Update, c, func(t *testing.T, _ int, got PointerResult) {
		got.good(t)
		require.Equal(t, want.Hops, got.Hops)
		require.GreaterOrEqual(t, got.Near+got.Remote, 2*got.Hops, "a read and a write a hop")
	})
}

func TestNeighborhoodEverywhere(t *testing.T) {
	c := NeighborhoodConfig{Side: 19, Bits: 7, Lines: 12, Short: 2, Long: 7, Common: apps.Common{Seed: 4}}
	want := SerialNeighborhood(c)
	everywhere(t, Neighborhood, c, func(t *testing.T, _ int, got NeighborhoodResult) {
		got.good(t)
		require.Equal(t, want, got.Textures)
		require.EqualValues(t, 2*(19*17+17*17)+2*(19*12+12*12), got.Pairs)
	})
}

// Pointer and Neighborhood give the same results with every size of the address cache, on 1 to 7 ranks in 1 to 4
// processes.
func TestAddressCaches(t *testing.T) {
	p := PointerConfig{Words: 301, Window: 5, Hops: 30, Stop: 9, Common: apps.Common{Seed: 3}}
	n := NeighborhoodConfig{Side: 19, Bits: 7, Lines: 12, Short: 2, Long: 7, Common: apps.Common{Seed: 4}}
	textures := SerialNeighborhood(n)
	for _, ranks := range []int{1, 2, 3, 4, 7} {
		for i, transport := range []string{"mem", "shm", "shm", "tcp", "tcp"} {
			for _, cache := range []int{-1, 4, 100} {
				s := on(ranks, transport)
				s.Procs, s.AddressCache = min(ranks, []int{1, 2, 4, 3, 4}[i]), cache
				require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
					chased := appstest.Must(Pointer(r, p))
					chased.good(t)
					compared := appstest.Must(Neighborhood(r, n))
					compared.good(t)
					require.Equal(t, textures, compared.Textures)
					if cache < 0 {
						require.Zero(t, chased.Hits+compared.Hits)
					}
					require.InDelta(t, chased.HitRate, chased.Counts.HitRate(), 0)
					return nil
				}), "%v, cache of %d", s, cache)
			}
		}
	}
}

// Odd sizes: parts shorter than a window, and ranks without a part.
func TestOddSizes(t *testing.T) {
	for _, ranks := range []int{1, 5, 23} {
		require.NoError(t, on(ranks, "mem").Run(t, func(r *pebble.Rank) error {
			for seed := range uint64(4) {
				p := appstest.Must(Pointer(r, PointerConfig{Words: 16 + seed, Window: 15, Hops: 30,
					Common: apps.Common{Seed: seed}}))
				require.Zero(t, p.Errors)
				u := appstest.Must(Update(r, PointerConfig{Words: 17, Window: 3 + 4*int(seed), Hops: 30,
					Common: apps.Common{Seed: seed}}))
				require.Zero(t, u.Errors)
				n := appstest.Must(Neighborhood(r, NeighborhoodConfig{
					Side: 4 + int(seed%3), Bits: 7, Short: 1, Long: 2 + int(seed%2), Common: apps.Common{Seed: seed},
				}))
				require.Zero(t, n.Errors)
			}
			return nil
		}))
	}
}

// A chase by the specification, with sorting.
func TestChase(t *testing.T) {
	c := PointerConfig{Words: 200, Window: 9, Hops: 300, Stop: 2, Common: apps.Common{Seed: 8}}
	for rank, got := range SerialPointer(20, c) {
		h := c.chaseOf(rank)
		index, hops := h.start, uint64(0)
		for (index < h.stop || index >= h.end) && hops < 300 {
			var window []uint64
			for i := range uint64(9) {
				window = append(window, c.word(index+i))
			}
			slices.Sort(window)
			index = (window[4] + hops) % 191
			hops++
		}
		require.Equal(t, Trace{hops, index, h.stop <= index && index < h.end}, got)
		require.LessOrEqual(t, h.end, c.starts())
	}
	for i := range c.Words {
		require.Less(t, c.word(i), c.starts())
	}
	require.NotEqual(t, SerialPointer(9, c), SerialPointer(9, PointerConfig{Words: 200, Window: 9, Hops: 300, Stop: 2,
		Common: apps.Common{Seed: 9}}))
}

// Rows drawn one by one equal those of the whole image.
func TestImage(t *testing.T) {
	c := NeighborhoodConfig{Side: 50, Bits: 15, Lines: 40, Common: apps.Common{Seed: 3}}
	whole := c.draw(0, 50)
	for lo := range 50 {
		require.Equal(t, whole[lo*50:(lo+1)*50], c.draw(lo, lo+1))
	}
	require.Less(t, slices.Max(whole), uint16(1<<15))
	require.Contains(t, whole, uint16(0))
	l := c.line(39)
	require.Equal(t, l.value, whole[l.y0*50+l.x0], "the last line is on top")
	require.Equal(t, l.value, whole[l.y1*50+l.x1])
}

// Equal counts have the entropy of their number, and a single count has none.
func TestTexture(t *testing.T) {
	entropy, energy := measures([]uint64{5, 0, 5, 5, 5}, 20)
	require.InDelta(t, 1.3862943611, entropy, 1e-9)
	require.InDelta(t, 0.25, energy, 1e-12)
	entropy, energy = measures([]uint64{0, 9}, 9)
	require.Zero(t, entropy)
	require.EqualValues(t, 1, energy)
	require.Equal(t, []string{"hops", "time per hop", "accesses"}, labels(PointerResult{}.Rows()))
	require.Equal(t, []string{"pairs", "pairs per second", "accesses", "3 pixels, 45°"},
		labels(NeighborhoodResult{Textures: []Texture{{Distance: 3, Degrees: 45}}}.Rows()))
}

func labels(rows [][2]string) (all []string) {
	for _, r := range rows {
		all = append(all, r[0])
	}
	return all
}

func TestProgressGoesUp(t *testing.T) {
	for name, run := range map[string]func(r *pebble.Rank, progress func(done, total uint64)) error{
		"pointer": func(r *pebble.Rank, p func(done, total uint64)) error {
			_, err := Pointer(r, PointerConfig{Hops: 2000, Stop: 1, Common: apps.Common{Progress: p}})
			return err
		},
		"neighborhood": func(r *pebble.Rank, p func(done, total uint64)) error {
			_, err := Neighborhood(r, NeighborhoodConfig{Side: 300, Common: apps.Common{Progress: p}})
			return err
		},
	} {
		var seen []uint64
		require.NoError(t, on(2, "mem").Run(t, func(r *pebble.Rank) error {
			return run(r, func(done, total uint64) {
				require.LessOrEqual(t, done, total)
				seen = append(seen, done)
			})
		}))
		require.Greater(t, len(seen), 1, name)
		require.IsIncreasing(t, seen, name)
	}
}

func TestBadConfig(t *testing.T) {
	for _, c := range []interface{ Check(ranks int) error }{
		PointerConfig{Words: 15}, PointerConfig{Words: sizeMax + 1}, PointerConfig{Window: 2}, PointerConfig{Window: 17},
		PointerConfig{Window: -1},
		PointerConfig{Hops: hopsMax + 1}, PointerConfig{Words: 16, Stop: 10}, PointerConfig{Words: 16, Window: 15, Stop: 2},
		NeighborhoodConfig{Side: 3}, NeighborhoodConfig{Side: 32769}, NeighborhoodConfig{Bits: 6},
		NeighborhoodConfig{Bits: 16},
		NeighborhoodConfig{Lines: -1}, NeighborhoodConfig{Lines: linesMax + 1}, NeighborhoodConfig{Short: 10},
		NeighborhoodConfig{Long: 512},
		NeighborhoodConfig{Short: -1},
	} {
		require.ErrorContains(t, c.Check(1), "stressmark: ", "%+v", c)
		require.ErrorContains(t, c.Check(1), "give ", "%+v", c)
	}
	for _, c := range []interface{ Check(ranks int) error }{
		PointerConfig{}, PointerConfig{Words: 16, Window: 15}, PointerConfig{Words: sizeMax, Window: 15},
		NeighborhoodConfig{}, NeighborhoodConfig{Side: 4}, NeighborhoodConfig{Side: 32768, Bits: 15, Long: 32767},
	} {
		require.NoError(t, c.Check(1), "%+v", c)
	}
	require.NoError(t, on(1, "mem").Run(t, func(r *pebble.Rank) error {
		_, err := Pointer(r, PointerConfig{Window: 2})
		require.Error(t, err)
		_, err = Neighborhood(r, NeighborhoodConfig{Bits: 3})
		require.Error(t, err)
		return nil
	}))
}

// errorsOf runs a stressmark's phases on three ranks, calls harm after the kernel, and returns the verifier's count.
func errorsOf(t *testing.T, run func(r *pebble.Rank) (p *Report, s *memory.Space, phases apps.Phases, harm func()),
) (errors uint64) {
	require.NoError(t, on(3, "mem").Run(t, func(r *pebble.Rank) error {
		p, s, phases, harm := run(r)
		kernel := phases.Kernel
		phases.Kernel = func() error {
			err := kernel()
			harm()
			return err
		}
		err := p.run(s, phases)
		if r.ID() == 0 {
			errors = p.Errors
		}
		return err
	}))
	return errors
}

func brokenPointers(t *testing.T, updates bool, harm func(p *pointers)) uint64 {
	return errorsOf(t, func(r *pebble.Rank) (*Report, *memory.Space, apps.Phases, func()) {
		c := PointerConfig{Words: 90, Window: 3, Hops: 20, Stop: 1, Common: apps.Common{Seed: 2}}.withDefaults()
		p := &pointers{rank: r, config: c, space: memory.New(r), updates: updates}
		result := &PointerResult{Report: newReport(r, "test", 2)}
		return &result.Report, p.space, p.phases(result), func() {
			if r.ID() == 1 || updates && r.ID() == 0 {
				harm(p)
			}
		}
	})
}

func TestPointerVerifierNotices(t *testing.T) {
	for _, updates := range []bool{false, true} {
		each := uint64(1)
		if updates {
			each = 2 // rank 0 and rank 1 do harm
		}
		require.Zero(t, brokenPointers(t, updates, func(*pointers) {}))
		require.Equal(t, each, brokenPointers(t, updates, func(p *pointers) { p.field.Local()[4]++ }), "a wrong word")
		require.EqualValues(t, 1, brokenPointers(t, updates, func(p *pointers) { p.trace.Hops-- }), "a hop too few")
		require.EqualValues(t, 1, brokenPointers(t, updates, func(p *pointers) { p.trace.Index++ }), "another end")
	}
}

func TestNeighborhoodVerifierNotices(t *testing.T) {
	broken := func(harm func(n *neighborhood)) uint64 {
		return errorsOf(t, func(r *pebble.Rank) (*Report, *memory.Space, apps.Phases, func()) {
			n := newNeighborhood(r, NeighborhoodConfig{Side: 12, Common: apps.Common{Seed: 2}}.withDefaults())
			result := &NeighborhoodResult{Report: newReport(r, "test", 2)}
			return &result.Report, n.space, n.phases(result), func() {
				if r.ID() == 1 {
					harm(n)
				}
			}
		})
	}
	require.Zero(t, broken(func(*neighborhood) {}))
	require.EqualValues(t, 1, broken(func(n *neighborhood) { n.image.Local()[7]++ }), "a wrong pixel")
	require.EqualValues(t, 1, broken(func(n *neighborhood) { n.own[3].sums[9]++ }), "a pair too many")
}
