package components

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/distgraph"
)

// Kernel finds components. It belongs to its rank's goroutine.
type Kernel interface {
	// Run finds components, from the start or from the checkpoint of Resume. All ranks call it.
	Run() error
	// Resume makes the next Run continue from the newest checkpoint of the job, if one exists, and save the joined
	// trees between rounds. Propagate does nothing. All ranks call it, once, between epochs.
	Resume(seed uint64) error
	// Before returns the seconds of the earlier runs that Run continued.
	Before() float64
	// Tally returns this rank's tally of the kernel's pebbles so far.
	Tally() apps.Tally
	// Sizes returns the number and sizes of components, at a pebble for each label of other ranks' vertices. All ranks
	// call it.
	Sizes() (distgraph.Sizes, error)
	// Validate checks the labels, with a pebble for each arc and direction, and returns the breaches that this rank
	// found. It returns an error, on all ranks, if not all of those pebbles were handled as they were sent. All ranks
	// call it.
	Validate() (distgraph.Breaches, error)
	// Smallest returns, for each of this rank's vertices in the order of the source of the graph, the first vertex of
	// its component by number, which is its place in the source. In an ordered graph it costs up to three pebbles for
	// each label on a rank. It makes a new slice. All ranks call it.
	Smallest() ([]uint64, error)
	// Labels returns the labels of this rank's vertices, which are indices, in the order of the source of the graph. It
	// makes a new slice.
	Labels() []uint64
}

// NewKernel registers a kernel on g, between epochs, on all ranks together. The arcs of g must lead both ways:
// NewKernel returns an error for a directed graph that was not built with Source.Undirected. The kernel keeps up to 32
// bytes for each vertex of the rank, 16 for each vertex of another rank at the end of an arc, and 4 bytes for each arc,
// or 8 in a wide graph. NewKernel returns an error if that exceeds the available memory.
func NewKernel(g *distgraph.Graph, method Method) (Kernel, error) {
	if !g.Undirected {
		return nil, fmt.Errorf(
			"components of graph %s, which is directed: build it with arcs that lead both ways", g.Name)
	}
	arcs := float64(g.Edges) * float64(g.ArcsPerEdge()) / float64(g.Rank.Size())
	if err := g.Fits("components of", arcs*g.IndexBytes()+32*float64(g.Local)+16*float64(g.Vertices)); err != nil {
		return nil, err
	}
	if g.Wide != nil {
		return newKernel(g, g.Wide, method)
	}
	return newKernel(g, g.Narrow, method)
}

func newKernel[V distgraph.Index](g *distgraph.Graph, p *distgraph.Part[V], method Method) (Kernel, error) {
	name := g.Kernel("components")
	ghosts, err := distgraph.NewGhosts[V, V](g, p.Rows, name)
	if err != nil {
		return nil, err
	}
	f := &found[V]{Part: p, g: g, ghosts: ghosts, first: V(g.First), local: V(g.Local)}
	f.sizer = distgraph.NewSizer[V](g, name("sizes"))
	f.firsts = distgraph.NewNotes(g, name("smallest"), func(vs []distgraph.Note[V]) {
		for _, n := range vs {
			least := &f.least[n.Vertex-f.first]
			*least = min(*least, n.Value)
		}
	})
	f.check = newValidator(f, name)
	switch method {
	case Hook, "":
		return newHooking(f, name), nil
	case Propagate:
		return newSpreading(f, name), nil
	}
	panic(fmt.Sprintf("components: method %q is not one of %s", method, apps.Names(Methods)))
}

// found is the result of a kernel for this rank's vertices.
type found[V distgraph.Index] struct {
	*distgraph.Part[V]
	g      *distgraph.Graph
	ghosts *distgraph.Ghosts[V, V] // of labels
	first  V                       // index of the rank's first vertex
	local  V                       // number of its vertices
	sizer  *distgraph.Sizer[V]
	least  []V // by place: the smallest number of a vertex whose label is this one's index
	firsts *distgraph.Notes[V]
	check  *validator[V]
}

// labels returns the labels of this rank's vertices, by place.
func (f *found[V]) labels() []V { return f.ghosts.Values[:f.local] }

// Validate implements Kernel.
func (f *found[V]) Validate() (distgraph.Breaches, error) { return f.check.run() }

// Resume implements Kernel.
func (f *found[V]) Resume(uint64) error { return nil }

// Before implements Kernel.
func (f *found[V]) Before() float64 { return 0 }

// Labels implements Kernel.
func (f *found[V]) Labels() []uint64 {
	labels := make([]uint64, f.local)
	for v, label := range f.labels() {
		labels[v] = uint64(label)
	}
	return distgraph.BySource(f.Part, labels)
}

// Sizes implements Kernel.
func (f *found[V]) Sizes() (distgraph.Sizes, error) { return f.sizer.Count(f.labels()) }
