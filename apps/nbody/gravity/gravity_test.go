package gravity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// cloud returns particles at random places, some of them denser.
func cloud(t testing.TB, n int) (sources []Source, keys []uint64) {
	t.Helper()
	seed := seeds.Of(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	sources = make([]Source, n)
	box := Box{}
	for i := range sources {
		s := &sources[i]
		s.Mass, s.Soft = (0.5+rng.Float64())/float64(n), 0.01*rng.Float64()
		scale := math.Pow(rng.Float64(), 2)
		for j := range s.Pos {
			s.Pos[j] = rng.NormFloat64() * scale
		}
		if i == 0 {
			box = Around(s.Pos)
		}
		box = box.With(Around(s.Pos))
	}
	cube := CubeOf(box)
	return sort(cube, sources)
}

func sort(cube Cube, sources []Source) ([]Source, []uint64) {
	slices.SortFunc(sources, func(a, b Source) int {
		ka, kb := cube.Key(a.Pos), cube.Key(b.Pos)
		switch {
		case ka < kb:
			return -1
		case ka > kb:
			return 1
		}
		return 0
	})
	keys := make([]uint64, len(sources))
	for i := range keys {
		keys[i] = cube.Key(sources[i].Pos)
	}
	return sources, keys
}

func forcesOf(t testing.TB, g *Builder, root *Cell, by Criterion) (forces []Force, counts Counts) {
	forces = make([]Force, len(g.Sources))
	var w Walk
	for i := range g.Buckets {
		b := &g.Buckets[i]
		require.True(t, w.Begin(root, by, b, g.Sources, func(int) bool { return true }))
		require.Nil(t, w.Go())
		copy(forces[b.From:b.To], w.Forces)
		counts.Cells += w.Counts.Cells
		counts.Particles += w.Counts.Particles
	}
	return forces, counts
}

// errorsOf returns the sorted relative errors of accelerations against direct sums.
func errorsOf(sources []Source, forces []Force, every int) (errors []float64) {
	for i := 0; i < len(sources); i += every {
		want := Direct(sources[i].Pos, sources[i].Soft, sources, i)
		d := forces[i].Acc.Plus(-1, want.Acc)
		errors = append(errors, math.Sqrt(d.Dot(d)/want.Acc.Dot(want.Acc)))
	}
	slices.Sort(errors)
	return errors
}

// Higher orders and smaller angles give smaller errors.
func TestForces(t *testing.T) {
	sources, keys := cloud(t, 5000)
	before := math.Inf(1)
	for order := 1; order <= OrderMost; order++ {
		g := &Builder{Keys: keys, Sources: sources, Most: 16}
		root := new(Cell)
		g.Build(Root, root)
		forces, counts := forcesOf(t, g, root, Criterion{0.7, order})
		errors := errorsOf(sources, forces, 10)
		median, bad := errors[len(errors)/2], errors[len(errors)*99/100]
		t.Log(order, median, bad, counts)
		require.Less(t, median, before)
		before = median
		if order == OrderMost {
			require.Less(t, median, 1e-3)
			require.Less(t, bad, 1e-2)
			for i := 0; i < len(sources); i += 50 {
				require.InEpsilon(t, Direct(sources[i].Pos, sources[i].Soft, sources, i).Phi, forces[i].Phi, 1e-3)
			}
		}
	}
}

// Moments give a consistent field: the derivative of the potential is the force.
func TestMomentsAreOfOneField(t *testing.T) {
	sources, _ := cloud(t, 20)
	s := summarize(Root, sources)
	m := s.sums.traceless(s.Center)
	at := Vector{3, -4, 5}
	for order := 1; order <= OrderMost; order++ {
		var f Force
		m.attract(&at, &f, order)
		for i := range at {
			const h = 1e-4
			var up, down Force
			a, b := at, at
			a[i], b[i] = a[i]+h, b[i]-h
			m.attract(&a, &up, order)
			m.attract(&b, &down, order)
			require.InDelta(t, (down.Phi-up.Phi)/(2*h), f.Acc[i], 1e-9)
		}
	}
}

// The moments of joined parts equal those of the whole.
func TestMomentsJoin(t *testing.T) {
	sources, _ := cloud(t, 50)
	whole := summarize(Root, sources)
	parts := merge(Root, []Summary{summarize(8, sources[:7]), summarize(9, sources[7:30]), summarize(10, sources[30:])})
	require.InDeltaSlice(t, whole.sums[:], parts.sums[:], 1e-12)
	require.InDeltaSlice(t, whole.Center[:], parts.Center[:], 1e-12)
	require.Equal(t, whole.Box, parts.Box)
	require.Equal(t, whole.Count, parts.Count)
}

// The softened force is continuous, and consistent with the potential.
func TestSpline(t *testing.T) {
	for r := 0.01; r < 0.999; r += 0.01 {
		a, b := spline(r*r, 1)
		up, _ := spline((r+1e-5)*(r+1e-5), 1)
		require.InDelta(t, (a-up)/1e-5, b*r, 1e-3, r)
	}
	a, b := spline(1, 1)
	require.InDelta(t, 1, a, 1e-12)
	require.InDelta(t, 1, b, 1e-12)
	a, b = spline(0, 1)
	require.InDelta(t, 2.8, a, 1e-12)
	require.InDelta(t, 8*4./3, b, 1e-12)
	a, b = spline(0, 0)
	require.Zero(t, a+b)
}

// Neighbours on the curve are neighbours in space, and each cell of the curve is a cube.
func TestCurve(t *testing.T) {
	cube := Cube{Side: 8}
	at := map[uint64]Vector{}
	for x := range 8 {
		for y := range 8 {
			for z := range 8 {
				p := Vector{float64(x), float64(y), float64(z)}
				at[cube.Key(p)>>(3*(LevelMost-3))] = p
			}
		}
	}
	require.Len(t, at, 512)
	for i := uint64(1); i < 512; i++ {
		d := at[i].Plus(-1, at[i-1])
		require.InDelta(t, 1, d.Dot(d), 0)
	}
	for i := uint64(0); i < 512; i += 8 {
		box := Around(at[i])
		for j := range uint64(8) {
			box = box.With(Around(at[i+j]))
		}
		require.Equal(t, Vector{1, 1, 1}, box.High.Plus(-1, box.Low))
	}
	require.Equal(t, uint64(0), Root.First())
	require.Equal(t, uint64(1)<<63-1, Root.Last())
	require.Equal(t, Root.Child(3).Last()+1, Root.Child(4).First())
	require.True(t, Root.Child(3).Holds(Root.Child(3).Child(7)))
	require.False(t, Root.Child(3).Holds(Root.Child(4).Child(7)))
	require.False(t, Root.Child(3).Holds(Root))
}

// The pieces of a tree under a top equal the tree of all particles, to the last bit.
func TestTop(t *testing.T) {
	sources, keys := cloud(t, 3000)
	whole := &Builder{Keys: keys, Sources: sources, Most: 8}
	root := new(Cell)
	whole.Build(Root, root)
	by := Criterion{0.6, OrderMost}
	want, counts := forcesOf(t, whole, root, by)

	var ids []ID
	for i := range 8 {
		if i == 5 {
			ids = append(ids, Root.Child(i))
			continue
		}
		for j := range 8 {
			ids = append(ids, Root.Child(i).Child(j))
		}
	}
	parts := &Builder{Keys: keys, Sources: sources, Most: 8, Owner: 3}
	cells, pieces := make([]Cell, 0, len(ids)), []Summary{}
	for _, id := range ids {
		from, _ := slices.BinarySearch(keys, id.First())
		if from < len(keys) && keys[from] <= id.Last() {
			cells = append(cells, Cell{})
			pieces = append(pieces, parts.Build(id, &cells[len(cells)-1]))
		}
	}
	asked := 0
	top := Top(pieces, func(piece int, at *Cell) { at.SetRemote(&pieces[piece], 8) })
	require.Equal(t, root.Moments, top.Moments)
	require.Equal(t, root.Radius, top.Radius)
	var w Walk
	got, all := make([]Force, len(sources)), Counts{}
	for i := range whole.Buckets {
		b := &whole.Buckets[i]
		w.Begin(top, by, b, sources, func(int) bool { return true })
		for c := w.Go(); c != nil; c = w.Go() {
			require.True(t, c.Remote)
			require.EqualValues(t, 3, c.Owner)
			asked++
			var below *Branch
			for i := range cells {
				if found := cells[i].Find(c.ID); found != nil {
					below = found.Below()
				}
			}
			c.Attach(below)
		}
		copy(got[b.From:b.To], w.Forces)
		all.Cells += w.Counts.Cells
		all.Particles += w.Counts.Particles
	}
	require.Positive(t, asked)
	require.Equal(t, counts, all)
	require.Equal(t, want, got)
}

// Particles at one place are a bucket at the lowest level.
func TestOnePlace(t *testing.T) {
	sources := make([]Source, 40)
	for i := range sources {
		sources[i] = Source{Vector{1, 2, 3}, 1, 0}
	}
	sources[39].Pos[0] = 2
	g := &Builder{Most: 4}
	g.Sources, g.Keys = sort(CubeOf(Box{Vector{1, 2, 3}, Vector{2, 2, 3}}), sources)
	root := new(Cell)
	g.Build(Root, root)
	require.Len(t, g.Buckets, 2)
	forces, _ := forcesOf(t, g, root, Criterion{0.7, OrderMost})
	require.Equal(t, Force{Vector{1, 0, 0}, -1}, forces[0])
	require.Equal(t, Force{Vector{-39, 0, 0}, -39}, forces[39])
}

func TestBadParticles(t *testing.T) {
	for _, p := range []Particle{
		{Pos: Vector{0, math.NaN(), 0}}, {Vel: Vector{0, 0, math.Inf(1)}}, {Mass: -1}, {Soft: math.NaN()},
		{Mass: math.Inf(1)},
	} {
		require.NotEmpty(t, p.Check())
	}
	require.Empty(t, new(Particle).Check())
}

func BenchmarkCells(b *testing.B) {
	sources, _ := cloud(b, 16)
	s := summarize(Root, sources)
	m := s.sums.traceless(s.Center)
	at, f := Vector{3, -4, 5}, Force{}
	for b.Loop() {
		m.attract(&at, &f, OrderMost)
	}
}

func BenchmarkParticles(b *testing.B) {
	sources, _ := cloud(b, 16)
	at, f := Vector{3, -4, 5}, Force{}
	for b.Loop() {
		f.attract(&at, 0.01, sources)
	}
}

// BenchmarkWalk computes the forces in a cloud by walks of its tree.
func BenchmarkWalk(b *testing.B) {
	sources, keys := cloud(b, 36_000)
	g, root := &Builder{Keys: keys, Sources: sources, Most: 16}, new(Cell)
	g.Build(Root, root)
	total := 0.0
	for b.Loop() {
		_, counts := forcesOf(b, g, root, Criterion{0.7, OrderMost})
		total += float64(counts.Cells + counts.Particles)
	}
	b.ReportMetric(total/b.Elapsed().Seconds()/1e6, "M/s")
}

func BenchmarkKey(b *testing.B) {
	cube, sum := Cube{Side: 1}, uint64(0)
	for b.Loop() {
		sum += cube.Key(Vector{0.3, 0.6, 0.9})
	}
	_ = sum
}

// A branch is the same after encoding and decoding, except that the branches below its cells must be requested.
func TestWire(t *testing.T) {
	sources, keys := cloud(t, 500)
	g := &Builder{Keys: keys, Sources: sources, Most: 10, Owner: 3}
	root := new(Cell)
	g.Build(Root, root)
	fold := func(a, b uint64) uint64 { return a*0x9E3779B97F4A7C15 + b }
	var look func(c *Cell)
	look = func(c *Cell) {
		want := c.Below()
		bytes, err := Wire{}.Append([]byte("before"), want)
		require.NoError(t, err)
		got, err := Wire{}.Decode(bytes[6:])
		require.NoError(t, err)
		require.Equal(t, want.Sources, got.Sources)
		require.Len(t, got.Cells, len(want.Cells))
		require.Equal(t, want.Fingerprint(fold), got.Fingerprint(fold))
		for i := range want.Cells {
			node := want.Cells[i].Node
			node.Remote = true
			require.Equal(t, node, got.Cells[i].Node)
			require.Nil(t, got.Cells[i].Below())
			look(&want.Cells[i])
		}
	}
	look(root)
	require.NotEmpty(t, Wire{}.Schema())
}

// FuzzWire decodes arbitrary bytes, and encodes accepted ones unchanged.
func FuzzWire(f *testing.F) {
	sources, keys := cloud(f, 30)
	g := &Builder{Keys: keys, Sources: sources, Most: 10}
	root := new(Cell)
	g.Build(Root, root)
	for _, b := range []*Branch{root.Below(), {Sources: sources[:3]}, {}} {
		bytes, err := Wire{}.Append(nil, b)
		require.NoError(f, err)
		f.Add(bytes)
		f.Add(bytes[:len(bytes)/2])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		branch, err := Wire{}.Decode(b)
		if err != nil {
			return
		}
		again, err := Wire{}.Append(nil, branch)
		require.NoError(t, err)
		require.Len(t, again, len(b))
	})
}

// Moments up to an order are exact up to the next one: each halving of a system reduces errors by that power.
func TestMomentsAreExact(t *testing.T) {
	sources, _ := cloud(t, 10)
	errorAt := func(scale float64, order int) (sum float64) {
		small := slices.Clone(sources)
		for i := range small {
			small[i].Pos, small[i].Soft = Vector{}.Plus(scale, small[i].Pos), 0
		}
		s := summarize(Root, small)
		m := s.sums.traceless(s.Center)
		for i := range 30 { // around it
			s, c := math.Sincos(float64(i))
			at, got := Vector{3 * c, 3 * s, float64(i%7) - 3}, Force{}
			m.attract(&at, &got, order)
			sum += math.Abs(got.Phi - Direct(at, 0, small, -1).Phi)
		}
		return sum
	}
	for order := 1; order <= OrderMost; order++ {
		ratio := errorAt(0.1, order) / errorAt(0.05, order)
		require.InEpsilon(t, math.Exp2(float64(order+1)), ratio, 0.4, "order %d", order)
	}
}

// A cell is opened if softening reaches the bucket, so that forces are softened.
func TestSofteningOpens(t *testing.T) {
	var sources []Source
	for i := range 40 {
		sources = append(sources, Source{Vector{float64(i/20) + 0.01*float64(i%20), 0, 0.01 * float64(i%3)}, 1, 0.7})
	}
	g := &Builder{Most: 4}
	box := Around(sources[0].Pos)
	for _, s := range sources {
		box = box.With(Around(s.Pos))
	}
	g.Sources, g.Keys = sort(CubeOf(box), sources)
	root := new(Cell)
	g.Build(Root, root)
	forces, _ := forcesOf(t, g, root, Criterion{0.7, OrderMost})
	require.Less(t, errorsOf(g.Sources, forces, 1)[39], 1e-12)
}
