package uts

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Tree is the recipe of a tree, as in the UTS benchmark.
type Tree struct {
	Name  string
	Shape Shape
	Root  float64 // children of the root: their number in binomial trees, else its mean (b0)
	Depth int     // of geometric and hybrid trees: where, or how slowly, they end
	Seed  uint32  // of the root's hash
	Q     float64 // of binomial and hybrid trees: the probability that a node has children
	M     int     // of binomial and hybrid trees: the number of children of such a node
}

// Shape is the dependence of the number of children on the height.
type Shape string

const (
	Binomial Shape = "binomial" // below the root: M children with probability Q, else none
	Fixed    Shape = "fixed"    // geometric, a constant mean at heights below Depth, then no children
	Linear   Shape = "linear"   // geometric, a mean that decreases to 0 at Depth
	Cyclic   Shape = "cyclic"   // geometric, a mean that rises and falls with period Depth, five times
	Hybrid   Shape = "hybrid"   // linear at heights below half of Depth, then binomial
)

// Answer is the result of a complete search of a tree.
type Answer struct {
	Nodes  uint64
	Leaves uint64
	Depth  uint64 // of the deepest node; the root's is 0
	Sum    uint64 // of the first 8 bytes of all nodes' hashes, as little-endian numbers
}

// sample is one of the benchmark's sample trees and its published answer; the sums are ours.
type sample struct {
	Tree
	Answer
}

var samples = []sample{
	{Tree{"T1", Fixed, 4, 10, 19, 0, 0}, Answer{4130071, 3305118, 10, 15084857772359300186}},
	{Tree{"T2", Cyclic, 6, 16, 502, 0, 0}, Answer{4117769, 2342762, 81, 2573971672873947601}},
	{Tree{"T3", Binomial, 2000, 0, 42, 0.124875, 8}, Answer{4112897, 3599034, 1572, 5625722497154114039}},
	{Tree{"T4", Hybrid, 6, 16, 1, 0.234375, 4}, Answer{4132453, 3108986, 134, 1961112877782357840}},
	{Tree{"T5", Linear, 4, 20, 34, 0, 0}, Answer{4147582, 2181318, 20, 8479943429711569025}},
	{Tree{"T1L", Fixed, 4, 13, 29, 0, 0}, Answer{102181082, 81746377, 13, 216505796707818666}},
	{Tree{"T2L", Cyclic, 7, 23, 220, 0, 0}, Answer{96793510, 53791152, 67, 7169335012245193142}},
	{Tree{"T3L", Binomial, 2000, 0, 7, 0.200014, 5}, Answer{111345631, 89076904, 17844, 9972106669825888539}},
}

// TreeNames returns the names of the benchmark's sample trees: first those of some 4 million nodes, then those of some
// 100 million.
func TreeNames() []string {
	names := make([]string, len(samples))
	for i, s := range samples {
		names[i] = s.Name
	}
	return names
}

// TreeByName returns one of the benchmark's sample trees.
func TreeByName(name string) (Tree, error) {
	i := slices.IndexFunc(samples, func(s sample) bool { return s.Name == name })
	if i < 0 {
		return Tree{}, fmt.Errorf("uts: unknown tree %q: use one of %s", name, strings.Join(TreeNames(), ", "))
	}
	return samples[i].Tree, nil
}

// known returns the benchmark's answer for a tree, if there is one.
func (t Tree) known() (Answer, bool) {
	i := slices.IndexFunc(samples, func(s sample) bool { return s.Tree == t })
	if i < 0 {
		return Answer{}, false
	}
	return samples[i].Answer, true
}

// Cut returns the tree with another depth. Binomial trees have none.
func (t Tree) Cut(depth int) (Tree, error) {
	switch {
	case t.Shape == Binomial:
		return t, fmt.Errorf("uts: tree %s is binomial, and has no depth to change", t.Name)
	case depth < 1 || depth > t.Depth:
		return t, fmt.Errorf("uts: a depth of %d for tree %s: give 1 to %d", depth, t.Name, t.Depth)
	}
	t.Depth = depth
	return t, nil
}

const (
	depthMost    = 1 << 10
	childrenMost = 100       // of a node, except the root of a binomial tree (MAXNUMCHILDREN)
	rootMost     = 1<<16 - 1 // children of the root
)

// check returns an error if a tree is invalid.
func (t Tree) check() error {
	binomial, geometric := t.Shape == Binomial || t.Shape == Hybrid, t.Shape != Binomial
	_, ends := t.known() // T3L ends, by its seed
	switch {
	case !slices.Contains([]Shape{Binomial, Fixed, Linear, Cyclic, Hybrid}, t.Shape):
		return fmt.Errorf("uts: unknown shape %q of trees", t.Shape)
	case !(t.Root > 0 && t.Root <= rootMost): // NaN too
		return fmt.Errorf("uts: %v children of the root: give more than 0, and at most %d", t.Root, rootMost)
	case geometric && (t.Depth < 1 || t.Depth > depthMost):
		return fmt.Errorf("uts: a depth of %d: give 1 to %d", t.Depth, depthMost)
	case binomial && (!(t.Q >= 0) || t.M < 0 || t.M > childrenMost):
		return fmt.Errorf("uts: %d children with probability %v: give 0 to %d, and a probability", t.M, t.Q, childrenMost)
	case binomial && t.Q*float64(t.M) >= 1 && !ends:
		return fmt.Errorf("uts: %d children with probability %v make a tree without end: their product must be below 1", t.M,
			t.Q)
	}
	return nil
}

// level maps the numbers of the nodes of one height to their numbers of children. For geometric trees it is the
// benchmark's formula, ⌊log(1-u) / log(1-p)⌋, as a table: a node's number is compared with the limits between numbers
// of children, and no logarithm is computed.
type level struct {
	most  int    // of binomial trees: children of nodes with a number less than below
	below uint32 //
	// of geometric trees: from[k] is the least number of nodes with more than k children; the last is out of reach
	from   []uint32
	guided [1 << 8]int // by the first 8 of a number's 31 bits: least number of children
}

// numbers is the number of values of a node's number.
const numbers = 1 << 31

// children returns the number of children of a node with this number.
func (l *level) children(number uint32) int {
	if l.from == nil {
		if number < l.below {
			return l.most
		}
		return 0
	}
	n := l.guided[number>>23]
	for number >= l.from[n] {
		n++
	}
	return n
}

// levels returns the levels of the tree's heights from 0 on; the last one is for all greater heights.
func (t Tree) levels() (all []*level) {
	add := func(l *level) { all = append(all, l) }
	switch t.Shape {
	case Binomial:
		add(&level{most: int(math.Floor(t.Root)), below: numbers})
		add(t.binomial())
	case Fixed:
		one := geometric(t.Root)
		for range t.Depth {
			add(one)
		}
		add(geometric(0))
	case Linear:
		for h := range t.Depth {
			add(geometric(t.mean(h)))
		}
		add(geometric(0))
	case Cyclic:
		for h := range 5*t.Depth + 1 {
			add(geometric(t.mean(h)))
		}
		add(geometric(0))
	case Hybrid:
		for h := range (t.Depth + 1) / 2 { // all heights below half of the depth
			add(geometric(t.mean(h)))
		}
		add(t.binomial())
	}
	return all
}

// mean returns the mean number of children at a height of a linear, cyclic or hybrid tree.
func (t Tree) mean(height int) float64 {
	switch x := float64(height) / float64(t.Depth); {
	case height == 0:
		return t.Root
	case t.Shape == Cyclic:
		return math.Pow(t.Root, math.Sin(2*3.141592653589793*float64(height)/float64(t.Depth)))
	default:
		return t.Root * (1 - x)
	}
}

func (t Tree) binomial() *level {
	return &level{most: t.M, below: uint32(math.Ceil(min(t.Q, 1) * numbers))}
}

// geometric returns the level with a mean number of children.
func geometric(mean float64) *level {
	children := func(number uint32) int {
		u := float64(number) / numbers
		return min(int(math.Floor(math.Log(1-u)/math.Log(1-1/(1+mean)))), childrenMost)
	}
	l := &level{}
	for least := uint32(0); least < numbers; {
		low, high := least, uint32(numbers) // bounds of the least number with more than len(l.from) children
		for low < high {
			if middle := low + (high-low)/2; children(middle) > len(l.from) {
				high = middle
			} else {
				low = middle + 1
			}
		}
		least = low
		l.from = append(l.from, least)
	}
	n := 0
	for i := range l.guided {
		for uint32(i)<<23 >= l.from[n] {
			n++
		}
		l.guided[i] = n
	}
	return l
}
