package uts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// little are small trees of all shapes.
var little = []Tree{
	{Name: "fixed", Shape: Fixed, Root: 4, Depth: 5, Seed: 19},
	{Name: "linear", Shape: Linear, Root: 4, Depth: 8, Seed: 34},
	{Name: "cyclic", Shape: Cyclic, Root: 3, Depth: 6, Seed: 7},
	{Name: "binomial", Shape: Binomial, Root: 300, Q: 0.19, M: 5, Seed: 7},
	{Name: "hybrid", Shape: Hybrid, Root: 5, Depth: 10, Q: 0.2, M: 4, Seed: 1},
	{Name: "a leaf", Shape: Fixed, Root: 0.001, Depth: 5, Seed: 1},
}

func treeNamed(t testing.TB, name string) Tree {
	tree := appstest.Must(TreeByName(name))
	return tree
}

// The serial search of little trees gives the same results as the version that reproduced the benchmark's answers.
func TestAnswers(t *testing.T) {
	for i, want := range []Answer{
		{3987, 3232, 5, 17100893062730046846}, {1317, 762, 8, 9242316786588763224}, {2004, 1133, 31, 10413494150402880192},
		{2266, 1872, 20, 7746248391260871667}, {5937, 4474, 21, 12602498628687582582}, {1, 1, 0, 17477595378543136666},
	} {
		got := appstest.Must(Serial(little[i]))
		require.Equal(t, want, got, little[i].Name)
	}
}

// ways are all ways to search.
var ways = []struct {
	name   string
	config Config
}{
	{"search", Config{Batch: 1}},
	{"many nodes", Config{Batch: 50}},
	{"in memory", Config{InMemory: true, Batch: 1}},
	{"few workers", Config{InMemory: true, Batch: 1, Workers: 2, Linger: time.Microsecond}},
	{"in memory, batches", Config{InMemory: true, Batch: 7}},
	{"in memory, pebbles", Config{InMemory: true, Mode: ByPebbles}},
	{"in memory, defaults", Config{InMemory: true}},
}

// All ranks together get the result of a serial search: of the first tree in every way, of the others in one way each.
func TestEverywhere(t *testing.T) {
	for i, tree := range little {
		want := appstest.Must(Serial(tree))
		t.Log(tree.Name, want)
		for j, way := range ways {
			if i > 0 && i != j {
				continue
			}
			c := way.config
			c.Tree = tree
			t.Run(tree.Name+", "+way.name, func(t *testing.T) {
				appstest.AllEverywhere(t, Run, c, func(t *testing.T, ranks int, got Result) {
					require.Zero(t, got.Errors, got.Wrong)
					require.Equal(t, []uint64{want.Nodes, want.Leaves, want.Depth}, []uint64{got.Nodes, got.Leaves, got.Depth})
					if c.Mode == ByPebbles {
						require.Equal(t, want.Nodes, got.Counters.PebblesHandled)
						require.Zero(t, got.Tasks)
					}
					if c.InMemory && c.Mode != ByPebbles {
						require.Equal(t, want.Nodes+1, got.Tasks) // one for each vertex, and the first
					}
					if ranks == 1 {
						require.Zero(t, got.Steals)
					}
				})
			})
		}
	}
}

// Two ranks search a tree of the benchmark, and report progress.
func TestRun(t *testing.T) {
	told := uint64(0)
	c := Config{Common: apps.Common{Progress: func(done, total uint64) {
		require.Greater(t, done, told)
		require.EqualValues(t, 4130071, total)
		told = done
	}}}
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	for _, got := range appstest.All(t, s, Run, c) {
		require.Equal(t, "T1", got.Tree)
		require.EqualValues(t, 3305118, got.Leaves)
		require.Positive(t, got.NodesPerSecond)
		require.Len(t, got.Rows(), 3)
	}
	require.Positive(t, told)
}

// An answer that differs in any field is an error.
func TestVerifierNotices(t *testing.T) {
	right := Answer{Nodes: 10, Leaves: 7, Depth: 3, Sum: 45}
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 64}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		for _, x := range []struct {
			wrong  Answer
			errors uint64
			says   string
		}{
			{right, 0, ""},
			{Answer{Nodes: 8, Leaves: 7, Depth: 3, Sum: 45}, 2, "2 nodes"},
			{Answer{Nodes: 10, Leaves: 8, Depth: 3, Sum: 45}, 1, "1 leaves"},
			{Answer{Nodes: 10, Leaves: 7, Depth: 7, Sum: 45}, 4, "4 levels"},
			{Answer{Nodes: 10, Leaves: 7, Depth: 3, Sum: 99}, 1, "1 sum"},
		} {
			var got Result
			own := x.wrong
			if r.ID() == 1 {
				own = Answer{}
			}
			require.NoError(t, got.judge(r, own, right))
			require.Equal(t, x.errors, got.Errors)
			if x.errors > 0 {
				require.Contains(t, got.Wrong[0], x.says)
			}
		}
		return nil
	}))
}

// A table of children agrees with the benchmark's formula, at its limits and elsewhere.
func TestChildren(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	for _, mean := range []float64{0, 1e-9, 0.01, 0.5, 1, 2.5, 4, 7, 60, 1e6} {
		l := geometric(mean)
		formula := func(number uint32) int {
			u := float64(number) / numbers
			return min(100, int(math.Floor(math.Log(1-u)/math.Log(1-1/(1+mean)))))
		}
		try := func(number uint32) {
			require.Equal(t, formula(number), l.children(number), "mean %v, number %d", mean, number)
		}
		for _, at := range l.from {
			try(min(at, numbers-1))
			try(max(at, 1) - 1)
		}
		for range 10_000 {
			try(random.Uint32N(numbers))
		}
	}
	for _, h := range []int{0, 1, 2, 3, 4, 5, 100} {
		w := newWalker(Tree{Shape: Binomial, Root: 7.9, Q: 0.25, M: 3})
		want := map[bool]int{true: 7, false: 3}[h == 0]
		require.Equal(t, want, w.level(uint32(h)).children(numbers/4-1))
		if h > 0 {
			require.Zero(t, w.level(uint32(h)).children(numbers/4))
		}
	}
}

// Both ways to hash give the same result.
func TestHasher(t *testing.T) {
	fast, plain := newHasher(), newHasher()
	require.NotNil(t, fast.tells, "the library's SHA-1 has another form: searches take twice as long")
	plain.tells = nil
	of := rootState(5)
	for place := range uint32(300) {
		fast.parent(&of)
		plain.parent(&of)
		require.Equal(t, plain.child(place), fast.child(place))
		of = state(fast.child(place))
	}
}

func TestTrees(t *testing.T) {
	require.Equal(t, []string{"T1", "T2", "T3", "T4", "T5", "T1L", "T2L", "T3L"}, TreeNames())
	for _, name := range TreeNames() {
		require.NoError(t, treeNamed(t, name).check())
	}
	_, err := TreeByName("T9")
	require.ErrorContains(t, err, `unknown tree "T9": use one of T1, T2`)
	cut, err := treeNamed(t, "T1").Cut(3)
	require.NoError(t, err)
	require.Equal(t, 3, cut.Depth)
	_, known := cut.known()
	require.False(t, known)
	_, err = treeNamed(t, "T1").Cut(11)
	require.ErrorContains(t, err, "give 1 to 10")
	_, err = treeNamed(t, "T3").Cut(3)
	require.ErrorContains(t, err, "is binomial")
}

func TestCheck(t *testing.T) {
	require.NoError(t, Config{}.Check(1))
	tree := Tree{Shape: Hybrid, Root: 2, Depth: 3, Q: 0.1, M: 2}
	require.NoError(t, Config{Tree: tree}.Check(1))
	with := func(change func(*Tree)) Config {
		c := Config{Tree: tree}
		change(&c.Tree)
		return c
	}
	for want, c := range map[string]Config{
		`unknown mode "x"`:         {Mode: "x"},
		"is for trees in memory":   {Mode: ByPebbles},
		"tasks of -1 nodes":        {Batch: -1},
		"tasks of 1048577 nodes":   {Batch: 1<<20 + 1},
		"-1 workers":               {Workers: -1},
		"a linger of -1ns":         {Linger: -1},
		`unknown shape "x"`:        with(func(t *Tree) { t.Shape = "x" }),
		"0 children of the root":   with(func(t *Tree) { t.Root = 0 }),
		"NaN children of the root": with(func(t *Tree) { t.Root = math.NaN() }),
		"a depth of 0":             with(func(t *Tree) { t.Depth = 0 }),
		"a depth of 1025":          with(func(t *Tree) { t.Depth = 1025 }),
		"probability NaN":          with(func(t *Tree) { t.Q = math.NaN() }),
		"101 children":             with(func(t *Tree) { t.M = 101 }),
		"a tree without end":       with(func(t *Tree) { t.Q = 0.5 }),
	} {
		err := c.Check(1)
		require.ErrorContains(t, err, want, fmt.Sprint(c))
		require.ErrorContains(t, err, "uts: ")
	}
}

// The objects that change with each node lie on cache lines of one searcher alone, also if all are made in turn.
func TestSearchersShareNoLine(t *testing.T) {
	owner := map[uintptr]int{}
	var all []*walker
	for i := range 50 {
		w := newWalker(little[0])
		all = append(all, w)
		hash := reflect.ValueOf(w.hasher.hash)
		for _, part := range []struct{ at, size uintptr }{
			{reflect.ValueOf(w).Pointer(), unsafe.Sizeof(*w)},
			{reflect.ValueOf(w.hasher).Pointer(), unsafe.Sizeof(*w.hasher)},
			{hash.Pointer(), hash.Type().Elem().Size()},
		} {
			for line := part.at / cpu.CacheLine; line <= (part.at+part.size-1)/cpu.CacheLine; line++ {
				first, shared := owner[line]
				require.False(t, shared && first != i, "searchers %d and %d", first, i)
				owner[line] = i
			}
		}
	}
	runtime.KeepAlive(all)
}
