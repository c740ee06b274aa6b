package graph

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestWeighted(t *testing.T) {
	for text, want := range map[string]bool{
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n":      false,
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3.5\n":     true,
		"%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 -3\n": true,
		"p tw 2 1\n1 2\n":            false,
		"# an edge list\n1 2\n":      false,
		"% rows\n2 1\n2\n1\n":        false,
		"% rows\n2 1 1\n2 7\n1 7\n":  true,
		"% rows\n2 1 10\n7 2\n7 1\n": true,
	} {
		f, err := Read(strings.NewReader(text), "g")
		require.NoError(t, err, text)
		require.Equal(t, want, f.Weighted(), text)
	}
	for name, text := range map[string]string{"g.el": "1 2 0.5\n", "t.el": "1 2\t1082040961\n", "n.el": "1 2 -1\n", "g.gr": "p tw 2 1\n1 2 9\n"} {
		err := readText(text, name)
		require.ErrorIs(t, err, ErrSyntax)
		require.ErrorContains(t, err, "weights are not supported here, leave them out")
	}
}

// TestCompactionTwin compares the numbering with a plain map and a scan for missing ids.
func TestCompactionTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		idMax := rapid.SampledFrom([]uint64{5, 50, 50000, 1<<64 - 1}).Draw(t, "largest id")
		ids := rapid.SliceOfN(rapid.Uint64Range(0, idMax), 1, 200).Draw(t, "ids")
		c := newCompaction()
		twin := make(map[uint64]uint64)
		var order []uint64
		for _, id := range ids {
			if _, met := twin[id]; !met {
				twin[id] = uint64(len(order))
				order = append(order, id)
			}
			require.Equal(t, twin[id], c.meet(id))
		}
		silent := rapid.Uint64Range(0, 100).Draw(t, "isolated vertices")
		for id := uint64(0); silent > 0; id++ {
			if _, met := twin[id]; !met {
				twin[id] = uint64(len(order))
				order = append(order, id)
				silent--
			}
		}
		c.settle(uint64(len(order)))
		require.Equal(t, uint64(len(order)), c.vertices())
		for index, id := range order {
			require.Equal(t, id, c.id(uint64(index)))
			back, known := c.index(id)
			require.True(t, known)
			require.Equal(t, uint64(index), back)
		}
		stranger := rapid.Uint64().Draw(t, "stranger")
		index, known := c.index(stranger)
		want, met := twin[stranger]
		require.Equal(t, met, known)
		if known {
			require.Equal(t, want, index)
		}
	})
}

// readWeighted reads all edges of a text with their weights.
func readWeighted(text, name string) (*File, []Edge, []float64, error) {
	f, err := Read(strings.NewReader(text), name, Weights())
	if err != nil {
		return nil, nil, nil, err
	}
	edges, weights := make([]Edge, 100), make([]float64, 100)
	n, err := f.WeightedEdges(edges, weights)
	if err != nil {
		return f, nil, nil, err
	}
	_, err = f.WeightedEdges(edges[n:], weights[n:]) // the end, or what is wrong
	return f, edges[:n], weights[:n], err
}

// Every format's weights are read, and an edge has the same weight from both of its ends.
func TestWeightsOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		directed bool
		edges    []Edge
		weights  []float64
	}{
		"snap.el":      {"# some\n5 7 0.5\n7 5 1e3\n", true, []Edge{{0, 1}, {1, 0}}, []float64{0.5, 1000}},
		"pace.gr":      {"p tw 3 2\n1 2 4\n2 3 0\n", false, []Edge{{0, 1}, {1, 2}}, []float64{4, 0}},
		"dimacs.gr":    {"c roads\np sp 3 2\na 1 2 803\na 2 1 158\n", true, []Edge{{0, 1}, {1, 0}}, []float64{803, 158}},
		"m.mtx":        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5D1\n3 3 -0\n", false, []Edge{{1, 0}, {2, 2}}, []float64{15, 0}},
		"i.mtx":        {"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 +9\n", true, []Edge{{0, 1}}, []float64{9}},
		"m.graph":      {"3 2 1\n2 7\n1 7 3 2\n2 2\n", false, []Edge{{0, 1}, {1, 2}}, []float64{7, 2}},
		"loops.graph":  {"1 2 1\n1 7 1 8\n", false, []Edge{{0, 0}, {0, 0}}, []float64{7, 8}},
		"twice.graph":  {"1 2 1\n1 7 1 8 1 7 1 8\n", false, []Edge{{0, 0}, {0, 0}}, []float64{7, 8}},
		"vertex.graph": {"2 1 11\n5 2 7\n6 1 7\n", false, []Edge{{0, 1}}, []float64{7}},
	} {
		f, edges, weights, err := readWeighted(c.text, name)
		require.ErrorContains(t, err, "EOF", name)
		require.Equal(t, c.edges, edges, name)
		require.Equal(t, c.weights, weights, name)
		require.Equal(t, c.directed, f.Directed(), name)
		require.True(t, f.Weighted(), name)
	}
}

// DIMACS's files are graphs without their weights too.
func TestDIMACS(t *testing.T) {
	f, err := Read(strings.NewReader("p sp 3 2\na 1 2 803\na 2 3 5\n"), "roads")
	require.NoError(t, err)
	edges, err := ReadAll(f)
	require.NoError(t, err)
	require.Equal(t, []Edge{{0, 1}, {1, 2}}, edges)
	require.True(t, f.Directed())
}

func TestBadWeights(t *testing.T) {
	for text, c := range map[string]struct {
		name string
		kind error
		says string
	}{
		"1 2\n":             {"a.el", ErrUnweighted, "line 1: no weight follows the two vertices of an edge"},
		"1 2 -1\n":          {"a.el", ErrRange, "line 1: the weight of an edge is -1, which is no finite number of 0 or more"},
		"1 2 NaN\n":         {"a.el", ErrRange, "is NaN"},
		"1 2 inf\n":         {"a.el", ErrRange, "is inf"},
		"1 2 1e999\n":       {"a.el", ErrRange, "is 1e999"},
		"1 2 0x10\n":        {"a.el", ErrSyntax, `found "0x10" where the weight of an edge is wanted`},
		"1 2 1_0\n":         {"a.el", ErrSyntax, `found "1_0"`},
		"1 2 heavy\n":       {"a.el", ErrSyntax, `found "heavy"`},
		"1 2 3 4\n":         {"a.el", ErrSyntax, "the end of the line after the weight of an edge"},
		"p sp 2 1\n1 2 3\n": {"a.gr", ErrSyntax, "found \"1\" where an arc `a FROM TO WEIGHT` is wanted"},
		"p sp 2 1\na 1 2\n": {"a.gr", ErrSyntax, "the line ends where the weight of an arc is wanted"},
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n":     {"a.mtx", ErrUnweighted, "line 1: the field is pattern"},
		"%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 2 3 4\n": {"a.mtx", ErrUnweighted, "line 1: the field is complex"},
		"2 1\n2\n1\n":                           {"a.graph", ErrUnweighted, "the header has no weight format"},
		"2 1 10\n5 2\n6 1\n":                    {"a.graph", ErrUnweighted, "without weights of edges"},
		"2 1 1\n2 7\n1 8\n":                     {"a.graph", ErrDamaged, "or its ends have other weights for it"},
		"1 2 " + strings.Repeat("1", 99) + "\n": {"a.el", ErrSyntax, "longer than any weight"},
	} {
		_, _, _, err := readWeighted(text, c.name)
		require.ErrorIs(t, err, c.kind, text)
		require.ErrorContains(t, err, c.says, text)
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
