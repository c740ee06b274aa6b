package nbody

import (
	"bytes"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/apps/nbody/initial"
	"github.com/activepebbles/pebbles/internal/leaks"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(leaks.Main(m)) }

func system(t testing.TB, particles int, seed uint64) *initial.System {
	t.Helper()
	s := appstest.Must(initial.Plummer(initial.Config{Particles: particles, Seed: seed}))
	return s
}

// ways returns configurations of all kinds that take some milliseconds.
func ways(t *testing.T) map[string]Config {
	seed := seeds.Of(t)
	of := func(change func(c *Config)) Config {
		c := Config{Source: system(t, 400, seed), Steps: 1, Sample: 20, Bucket: 8, List: true}
		change(&c)
		return c
	}
	collision := appstest.Must(initial.Collision(initial.Config{Particles: 400, Seed: seed}))
	king := appstest.Must(initial.King(initial.Config{Particles: 400, Seed: seed}, 7))
	return map[string]Config{
		"asks":        of(func(*Config) {}),
		"tasks":       of(func(c *Config) { c.Walk = Tasks }),
		"own steps":   of(func(c *Config) { c.Rungs, c.Step, c.Steps, c.Eta = 4, 0.2, 1, 0.1 }),
		"tasks, king": of(func(c *Config) { c.Walk, c.Source, c.Rungs, c.Step, c.Steps = Tasks, king, 2, 0.05, 1 }),
		"quadrupoles": of(func(c *Config) { c.Order, c.Theta, c.Bucket = 2, 0.5, 1 }),
		"collision":   of(func(c *Config) { c.Source = collision }),
	}
}

// sameAs requires that a run has the result of the serial twin.
func sameAs(t *testing.T, want, got Result) {
	t.Helper()
	require.Zero(t, got.Errors, got.Wrong)
	require.Zero(t, apart(want, got))
	require.True(t, got.Twin)
}

// A simulation continues from a checkpoint with the same particles, at any of its ranks.
func TestNBodyGoesOn(t *testing.T) {
	all := ways(t)
	for _, name := range []string{"own steps", "tasks"} {
		c := all[name]
		c.Steps = 3
		appstest.GoesOn(t, func(r *pebble.Rank, path string) error {
			got, err := Run(r, c)
			if err != nil || r.ID() != 0 {
				return err
			}
			sameAs(t, got, got)
			var file bytes.Buffer
			if err := apps.WriteTable(&file, path, got.Columns()...); err != nil {
				return err
			}
			return os.WriteFile(path, file.Bytes(), 0o600)
		}, nil)
	}
}

// The result equals that of the serial twin under every shape of the network.
func TestEveryShape(t *testing.T) {
	all, twins := ways(t), map[string]Result{}
	for name, c := range all {
		want := appstest.Must(Serial(c))
		twins[name] = want
	}
	names, turn := slices.Sorted(maps.Keys(all)), 0
	appstest.General(t, func(t *testing.T, s appstest.Shape) {
		name := names[turn%len(names)]
		c, want := all[name], twins[name]
		turn++
		for rank, got := range appstest.All(t, s, Run, c) {
			sameAs(t, want, got)
			if rank == 0 {
				require.Equal(t, want.End, got.End)
				require.Equal(t, want.Potentials, got.Potentials)
			} else {
				require.Empty(t, got.End)
			}
			require.Equal(t, s.Procs > 1, got.Requests > 0)
		}
	})
}

// Every way to simulate gives the same result on any number of ranks, over the transports and in simulated time.
func TestEverywhere(t *testing.T) {
	for name, c := range ways(t) {
		want := appstest.Must(Serial(c))
		t.Run(name, func(t *testing.T) {
			appstest.AllEverywhere(t, Run, c, func(t *testing.T, _ int, got Result) { sameAs(t, want, got) })
		})
	}
}

// runOn runs on ranks of a number of processes.
func runOn(t *testing.T, ranks, procs int, c Config) Result {
	t.Helper()
	s := appstest.Shape{Ranks: ranks, Procs: procs, Transport: "mem", New: route.Direct, Coalesce: 64}
	if procs > 1 {
		s.Transport = "shm"
	}
	return appstest.All(t, s, Run, c)[0]
}

// Every way to simulate gives the same result on four ranks of two processes, which send each other requests.
func TestRanksAgree(t *testing.T) {
	var requests, hits, shared uint64 // if galaxies are far apart, all may be 0
	for name, c := range ways(t) {
		want := appstest.Must(Serial(c))
		t.Run(name, func(t *testing.T) {
			got := runOn(t, 4, 2, c)
			sameAs(t, want, got)
			requests, hits, shared = requests+got.Requests, hits+got.CacheHits, shared+got.SharedWaits
		})
	}
	require.Positive(t, requests)
	require.Positive(t, hits)
	require.Positive(t, shared)
}

// A request has 16 bytes, with the asking rank.
func TestRequestsAreSmall(t *testing.T) {
	require.EqualValues(t, 12, unsafe.Sizeof(question{}))
	c := new(gravity.Cell)
	c.ID, c.Owner = 1<<63|12345, 7
	require.Equal(t, c.ID, ask(c).cell())
	require.EqualValues(t, 7, ask(c).Owner)
	require.EqualValues(t, 120, unsafe.Sizeof(body{}))
	require.EqualValues(t, 40, unsafe.Sizeof(gravity.Source{}))
}

// Two bodies on a circle return, with an error that decreases with the steps.
func TestCircle(t *testing.T) {
	before := math.Inf(1)
	for _, steps := range []int{100, 400} {
		p := pair{}
		got := appstest.Must(Serial(Config{Source: p, Steps: steps, Step: 2 * math.Pi / float64(steps), List: true}))
		want := make([]gravity.Particle, 2)
		require.NoError(t, p.Read(0, want))
		d := got.End[0].Pos.Plus(-1, want[0].Pos)
		off := math.Sqrt(d.Dot(d))
		require.Less(t, off, before/10)
		require.InDelta(t, got.EnergyStart, got.EnergyEnd, 1e-5)
		require.InDelta(t, 0, got.Momentum+got.Spin, 1e-12)
		before = off
	}
	require.Less(t, before, 1e-3)
}

// pair is two bodies on a circle about each other.
type pair struct{ together bool }

func (pair) Name() string   { return "pair" }
func (pair) Time() float64  { return 0 }
func (pair) Particles() int { return 2 }

func (p pair) Read(first int, into []gravity.Particle) error {
	for i := range into {
		side := 0.5 - float64(first+i)
		into[i] = gravity.Particle{Mass: 0.5, Pos: gravity.Vector{side, 0, 0}, Vel: gravity.Vector{0, side, 0}}
		if p.together {
			into[i].Pos = gravity.Vector{1, 2, 3}
		}
	}
	return nil
}

// Individual steps conserve the energy better than global ones of the same length.
func TestOwnStepsHelp(t *testing.T) {
	c := Config{Source: system(t, 500, 2), Steps: 3, Step: 0.25, Eta: 0.1}
	global := appstest.Must(Serial(c))
	c.Rungs = 6
	own := appstest.Must(Serial(c))
	t.Log(global.EnergyStart, global.EnergyEnd, own.EnergyEnd)
	require.Less(t, math.Abs(own.EnergyEnd-own.EnergyStart), math.Abs(global.EnergyEnd-global.EnergyStart)/3)
}

// The work is shared: after the first step, ranks have about the same.
func TestBalance(t *testing.T) {
	pieces := make([]piece, 100)
	for i := range pieces {
		pieces[i].work = uint64(1 + i%7)
	}
	share(pieces, 7)
	work := make([]uint64, 7)
	for i, p := range pieces {
		work[p.owner] += p.work
		require.True(t, i == 0 || p.owner >= pieces[i-1].owner)
	}
	for _, w := range work {
		require.InDelta(t, 400/7, w, 8)
	}
}

func TestProgressIsTold(t *testing.T) {
	steps := uint64(0)
	c := Config{Source: system(t, 100, 1), Steps: 3, Common: apps.Common{Progress: func(done, total uint64) {
		steps++
		require.Equal(t, []uint64{steps, 3}, []uint64{done, total})
	}}}
	got := runOn(t, 2, 1, c)
	require.EqualValues(t, 3, steps)
	require.Len(t, got.Rows(), 10)
}

func TestMistakes(t *testing.T) {
	s := system(t, 10, 1)
	for says, c := range map[string]Config{
		"no particles":             {},
		"-1 steps":                 {Source: s, Steps: -1},
		"steps of -1":              {Source: s, Step: -1},
		"opening angle of 2":       {Source: s, Theta: 2},
		"moments of order 5":       {Source: s, Order: 5},
		"buckets of -1":            {Source: s, Bucket: -1},
		"halved 31 times":          {Source: s, Rungs: 31},
		"steps of -2 of what fits": {Source: s, Eta: -2},
		`walk "by foot"`:           {Source: s, Walk: "by foot"},
		"a sample of 65537":        {Source: s, Sample: 65537},
	} {
		require.ErrorContains(t, c.Check(1), says)
	}
	require.ErrorContains(t, Config{Source: s}.Check(11), "10 particles on 11 ranks")
	_, err := Serial(Config{Source: pair{together: true}})
	require.ErrorContains(t, err, "all 2 particles are in one place")
	_, err = Serial(Config{Source: pair{}, Steps: 4, Step: 1e308})
	require.ErrorContains(t, err, "beyond all numbers")
}

// A rank for each body, and many bodies at one place.
func TestOddSystems(t *testing.T) {
	c := Config{Source: system(t, 9, 1), Steps: 2, Bucket: 1}
	want := appstest.Must(Serial(c))
	sameAs(t, want, runOn(t, 9, 3, c))
	c = Config{Source: heap{}, Steps: 2, Bucket: 4, Step: 1e-3}
	want = appstest.Must(Serial(c))
	sameAs(t, want, runOn(t, 4, 2, c))
}

// heap is bodies that are mostly at one place.
type heap struct{}

func (heap) Name() string   { return "heap" }
func (heap) Time() float64  { return 0 }
func (heap) Particles() int { return 300 }

func (heap) Read(first int, into []gravity.Particle) error {
	for i := range into {
		into[i] = gravity.Particle{Mass: 1, Soft: 0.1, Pos: gravity.Vector{1, 1, 1}}
		if n := first + i; n < 20 {
			into[i].Pos = gravity.Vector{float64(n), float64(n * n), 0}
		}
	}
	return nil
}

// All ranks of a process wait for one answer, which one of them has requested.
func TestWalksWaitOnce(t *testing.T) {
	f, c := &cache{}, new(gravity.Cell)
	c.ID = gravity.Root.Child(3)
	f.add(1, new(gravity.Cell))
	want := func(rank int, there, asked bool) {
		gotThere, gotAsked := f.want(c, rank)
		require.Equal(t, []bool{there, asked}, []bool{gotThere, gotAsked})
	}
	want(4, false, false)
	want(4, false, true)
	want(5, false, true)
	want(5, false, true)
	require.Empty(t, f.attach(gravity.Root.Child(2), nothing))
	require.Equal(t, []int32{4, 5}, f.attach(c.ID, nothing))
	require.Empty(t, f.attach(c.ID, new(gravity.Branch)))
	want(4, true, true)
	require.Same(t, nothing, c.Below())
}

// Pieces are cells of the tree, and cover the curve.
func TestPiecesAreCells(t *testing.T) {
	seed := seeds.Of(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	samples := make([]sample, 500)
	keys := make([]uint64, len(samples))
	for i := range samples {
		keys[i] = rng.Uint64() >> (1 + rng.UintN(20))
	}
	slices.Sort(keys)
	for i, k := range keys {
		samples[i] = sample{k, 1 + rng.Uint64N(5)}
	}
	cells := divide(nil, gravity.Root, samples, 8)
	require.Greater(t, len(cells), 100)
	next := uint64(0)
	pieces := make([]piece, len(cells))
	for i, c := range cells {
		require.Equal(t, next, c.First())
		next = c.Last() + 1
		pieces[i].cell = c
		for _, k := range keys {
			if c.First() <= k && k <= c.Last() {
				pieces[i].bodies++
			}
		}
	}
	require.Equal(t, uint64(1)<<63, next)
	const bucket = 20
	pruned := prune(gravity.Root, pieces, bucket)
	require.Less(t, len(pruned), len(pieces))
	all := uint64(0)
	for i := range pruned {
		p := &pruned[i]
		all += p.bodies
		p.owner = i
		above, around := p.cell>>3, uint64(0)
		for _, q := range pruned {
			if above.Holds(q.cell) {
				around += q.bodies
			}
		}
		require.Greater(t, around, uint64(bucket), "the cell above would be a bucket")
	}
	require.EqualValues(t, len(keys), all)
	for _, k := range keys {
		p := pruned[ownerOf(pruned, k)]
		require.True(t, p.cell.First() <= k && k <= p.cell.Last())
	}
}

// Bodies at one place are in the order of their numbers, for any order of arrival.
func TestOrderOfOnePlace(t *testing.T) {
	p := &part{}
	for i := range 100 {
		p.bodies = append(p.bodies, body{key: uint64(i % 3), number: uint32(i * 37 % 100)})
	}
	p.sort()
	for i := 1; i < 100; i++ {
		a, b := p.bodies[i-1], p.bodies[i]
		require.True(t, a.key < b.key || a.key == b.key && a.number < b.number)
	}
}

// A body's step begins at a multiple of its length.
func TestStepsAreAligned(t *testing.T) {
	p := &part{Config: Config{Rungs: 4, Step: 1, Eta: 1}, bodies: make([]body, 1)}
	l := leapfrog{part: p}
	b := &p.bodies[0]
	b.Soft, b.Acc = 1, gravity.Vector{1e-4, 0, 0} // a whole step would fit
	for tick, rung := range []uint8{0, 4, 3, 4, 2, 4, 3, 4, 1, 4, 3, 4, 2, 4, 3, 4, 0} {
		b.rung = 4
		l.choose(uint64(tick))
		require.Equal(t, rung, b.rung, "tick %d", tick)
	}
	b.Acc[0], b.rung = 7, 0 // a step of 0.38
	l.choose(0)
	require.EqualValues(t, 2, b.rung)
	b.rung = 1
	l.choose(4)
	require.EqualValues(t, 1, b.rung, "its step has not ended")
}
