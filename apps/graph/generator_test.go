package graph

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
)

var generators = map[string]func(scale, edgeFactor int, seed uint64) (Generator, error){
	"kronecker": Kronecker, "erdosrenyi": ErdosRenyi,
}

func mustMake(tb testing.TB, kind string, scale, edgeFactor int, seed uint64) (Generator, []Edge) {
	tb.Helper()
	g, err := generators[kind](scale, edgeFactor, seed)
	require.NoError(tb, err)
	edges := make([]Edge, g.EdgeCount())
	g.Fill(0, edges)
	return g, edges
}

func TestGeneratorLimits(t *testing.T) {
	for kind, generate := range generators {
		for _, bad := range [][2]int{{0, 16}, {-1, 16}, {ScaleMax + 1, 16}, {10, 0}, {10, EdgeFactorMax + 1}} {
			_, err := generate(bad[0], bad[1], 1)
			require.ErrorContains(t, err, "is not one of 1 to", kind)
		}
		for _, scale := range []int{1, 2, 3, ScaleMax} {
			g, err := generate(scale, EdgeFactorMax, 1)
			require.NoError(t, err)
			require.Equal(t, uint64(1)<<scale, g.Vertices())
			require.Equal(t, g.Vertices()*EdgeFactorMax, g.EdgeCount())
			last := make([]Edge, 7)
			g.Fill(g.EdgeCount()-7, last)
			for _, e := range last {
				require.Less(t, max(e.From, e.To), g.Vertices())
			}
			g.Fill(g.EdgeCount(), nil)
			require.Panics(t, func() { g.Fill(g.EdgeCount()-6, last) })
			require.Panics(t, func() { g.Fill(math.MaxUint64, last) })
		}
	}
}

func TestDescribe(t *testing.T) {
	k, _ := mustMake(t, "kronecker", 5, 16, 7)
	require.Equal(t, "Kronecker scale 5, edge factor 16, seed 7", k.Describe())
	require.False(t, k.Directed())
	e, _ := mustMake(t, "erdosrenyi", 5, 4, 7)
	require.Equal(t, "Erdős-Rényi scale 5, edge factor 4, seed 7", e.Describe())
	require.True(t, e.Directed())
}

// TestSlicesAgree: the graph is the same for all ways of cutting the edges into slices.
func TestSlicesAgree(t *testing.T) {
	for kind := range generators {
		rapid.Check(t, func(t *rapid.T) {
			scale := rapid.IntRange(1, 9).Draw(t, "scale")
			seed := rapid.Uint64().Draw(t, "seed")
			g, err := generators[kind](scale, rapid.IntRange(1, 20).Draw(t, "edge factor"), seed)
			require.NoError(t, err)
			whole := make([]Edge, g.EdgeCount())
			g.Fill(0, whole)
			low := rapid.Uint64Range(0, g.EdgeCount()).Draw(t, "low")
			high := rapid.Uint64Range(low, g.EdgeCount()).Draw(t, "high")
			part := make([]Edge, high-low)
			g.Fill(low, part)
			require.Equal(t, whole[low:high], part)
		})
	}
}

func TestSeedsDiffer(t *testing.T) {
	for kind := range generators {
		_, one := mustMake(t, kind, 10, 4, 1)
		_, again := mustMake(t, kind, 10, 4, 1)
		_, two := mustMake(t, kind, 10, 4, 2)
		require.Equal(t, one, again)
		same := 0
		for i := range one {
			if one[i] == two[i] {
				same++
			}
		}
		require.Less(t, same, len(one)/10)
	}
}

// within checks that a count of successes among n trials of probability p is within five standard deviations.
func within(t *testing.T, p float64, n, got int, what string) {
	t.Helper()
	mean, deviation := p*float64(n), math.Sqrt(p*(1-p)*float64(n))
	require.InDelta(t, mean, float64(got), 5*deviation+1, what)
}

// TestQuadrants: at each level an edge falls into the four quadrants with the probabilities of Graph500. Levels are
// independent, and so are adjacent edges.
func TestQuadrants(t *testing.T) {
	const scale, edges = 15, 200000
	chances := [4]float64{.57, .19, .19, .05}
	g, err := Kronecker(scale, 16, 11)
	require.NoError(t, err)
	k := g.(*kronecker)
	at := func(edge uint64, level int) uint64 {
		from, to := k.cell(edge)
		return from>>level&1<<1 | to>>level&1
	}
	for level := range scale {
		var single [4]int
		var levels, neighbours [4][4]int
		for e := range uint64(edges) {
			q := at(e, level)
			single[q]++
			levels[q][at(e, (level+1)%scale)]++
			neighbours[q][at(e+1, (level+scale-1)%scale)]++ // the last level of one, the first of the next
		}
		for a, p := range chances {
			within(t, p, edges, single[a], "quadrant")
			for b, q := range chances {
				within(t, p*q, edges, levels[a][b], "levels of an edge")
				within(t, p*q, edges, neighbours[a][b], "neighbouring edges")
			}
		}
	}
}

// TestScrambleBijective: labels are permuted. Up to scale 16 the test counts; beyond, it undoes the rounds.
func TestScrambleBijective(t *testing.T) {
	for scale := 1; scale <= 16; scale++ {
		s := newScramble(scale, newStream(uint64(scale), kroneckerLabels))
		hit := make([]bool, 1<<scale)
		for label := range hit {
			image := s.apply(uint64(label))
			require.False(t, hit[image], "scale %d: two labels become %d", scale, image)
			hit[image] = true
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.IntRange(1, ScaleMax).Draw(t, "scale")
		s := newScramble(scale, newStream(rapid.Uint64().Draw(t, "seed"), kroneckerLabels))
		label := rapid.Uint64Range(0, 1<<scale-1).Draw(t, "label")
		require.Equal(t, label, unscramble(s, s.apply(label)))
	})
}

func unscramble(s scramble, label uint64) uint64 {
	for i := scrambleRounds - 1; i >= 0; i-- {
		label ^= label >> s.fold // fold is at least half of the bits, so once is enough
		inverse := s.factor[i]   // right in its 3 lowest bits; each step doubles them
		for range 5 {
			inverse *= 2 - s.factor[i]*inverse
		}
		label = (label - s.add[i]) * inverse & s.mask
	}
	return label
}

// TestScrambleSpreads: the vertices that the initiator favours (few ones in their label) are spread evenly: each of
// eight equal shares of the labels has about an eighth of the edge ends.
func TestScrambleSpreads(t *testing.T) {
	const scale, shares = 14, 8
	for seed := range uint64(5) {
		_, edges := mustMake(t, "kronecker", scale, 16, seed)
		var high, low [shares]float64
		for _, e := range edges {
			high[e.From>>(scale-3)]++
			low[e.From%shares]++
		}
		for share := range shares {
			require.InDelta(t, 1.0/shares, high[share]/float64(len(edges)), 0.06, "seed %d, block %d", seed, share)
			require.InDelta(t, 1.0/shares, low[share]/float64(len(edges)), 0.06, "seed %d, residue %d", seed, share)
		}
	}
}

// TestDegreeSkew: a Kronecker graph has a few huge vertices and many isolated ones, an Erdős-Rényi graph has neither.
func TestDegreeSkew(t *testing.T) {
	const scale, edgeFactor = 14, 16
	degrees := func(kind string) (largest, isolated int) {
		g, edges := mustMake(t, kind, scale, edgeFactor, 3)
		count := make([]int, g.Vertices())
		for _, e := range edges {
			count[e.From]++
			count[e.To]++
		}
		for _, n := range count {
			if n == 0 {
				isolated++
			}
		}
		return slices.Max(count), isolated
	}
	largest, isolated := degrees("kronecker")
	// Row 0 alone has (A+B)^scale of the tails, and column 0 the same share of the heads.
	expected := 2 * math.Pow(.76, scale) * edgeFactor * (1 << scale)
	require.InEpsilon(t, expected, largest, 0.05)
	require.Greater(t, isolated, 1<<scale/8)

	largest, isolated = degrees("erdosrenyi")
	require.Less(t, largest, 3*2*edgeFactor)
	require.Zero(t, isolated)
}

// TestUniform: the arcs of an Erdős-Rényi graph fill a coarse grid of cells evenly, and so do pairs of the head of one
// arc and the tail of the next.
func TestUniform(t *testing.T) {
	const scale, cells = 12, 16
	_, edges := mustMake(t, "erdosrenyi", scale, 16, 5)
	var arcs, neighbours [cells][cells]int
	for i, e := range edges {
		next := edges[(i+1)%len(edges)]
		arcs[e.From*cells>>scale][e.To*cells>>scale]++
		neighbours[e.To*cells>>scale][next.From*cells>>scale]++
	}
	for i := range cells {
		for j := range cells {
			within(t, 1.0/(cells*cells), len(edges), arcs[i][j], "ends of an arc")
			within(t, 1.0/(cells*cells), len(edges), neighbours[i][j], "neighbouring arcs")
		}
	}
}

func TestFillAllocatesNothing(t *testing.T) {
	edges := make([]Edge, 100)
	for kind := range generators {
		g, err := generators[kind](20, 16, 1)
		require.NoError(t, err)
		require.Zero(t, testing.AllocsPerRun(10, func() { g.Fill(1000, edges) }))
	}
}

func BenchmarkFill(b *testing.B) {
	for kind, generate := range generators {
		b.Run(kind, func(b *testing.B) {
			g, err := generate(20, 16, 1)
			require.NoError(b, err)
			edges := make([]Edge, 1<<12)
			var sum, first uint64
			for b.Loop() {
				g.Fill(first%(g.EdgeCount()/2), edges)
				first += uint64(len(edges))
				sum += edges[0].From ^ edges[len(edges)-1].To
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(edges)), "ns/edge")
			b.Logf("checksum %x", sum)
		})
	}
}

func TestUniformWeights(t *testing.T) {
	all, some := make([]float64, 1000), make([]float64, 10)
	UniformWeights(3).Weigh(0, all)
	UniformWeights(3).Weigh(500, some)
	require.Equal(t, all[500:510], some)
	sum := 0.0
	for _, w := range all {
		require.GreaterOrEqual(t, w, 0.0)
		require.Less(t, w, 1.0)
		sum += w
	}
	require.InDelta(t, 500, sum, 50)
}
