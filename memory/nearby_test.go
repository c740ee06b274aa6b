package memory_test

import (
	"testing"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
)

// Elements are found where the distribution has them, by each method: a shift, a multiplication, or the distribution's
// methods. All accesses to another process are counted, also if its memory is mapped here.
func TestElementsAreFound(t *testing.T) {
	for _, d := range []distribution.Indexed{
		distribution.Block(64, 2), distribution.Block(63, 2), distribution.Block(100, 2), distribution.Block(1, 2),
		distribution.Block(2, 2), distribution.Cyclic(100, 2), distribution.BlockCyclic(100, 2, 7),
	} {
		for _, transport := range transports {
			over(t, transport, d, func(r rank, a *memory.Array[uint64]) { requireFound(r, transport, a) })
		}
	}
}

func requireFound(r rank, transport string, a *memory.Array[uint64]) {
	d := a.Distribution()
	all := make([]uint64, 0, a.Len())
	want, got := make([]uint64, a.Len()), make([]uint64, a.Len())
	for i := range a.Len() {
		all = append(all, i)
		want[i] = uint64(d.Local(i))
	}
	getAll := func() {
		for i := range a.Len() {
			r.Equal(want[i], a.Get(i))
		}
	}
	for range 2 { // the first asks for addresses
		clear(got)
		a.Gather(got, all)
		r.Equal(want, got)
	}
	if transport == "shm" {
		before := r.s.Counts()
		a.Gather(got, all)
		r.Equal(before.Remote, r.s.Counts().Remote, "what is mapped is near")
	}
	getAll()
	for i := range a.Len() {
		a.Put(i, 1000+i)
		r.Equal(1000+i, a.Get(i))
		want[i] = 5000 + i
	}
	a.Scatter(all, want)
	a.GetRange(0, got)
	r.Equal(want, got)
	near, others := a.Len(), a.Len()-uint64(d.LocalLen(0))
	switch transport {
	case "mem":
		others = 0
	case "tcp":
		near -= others
	}
	before := r.s.Counts()
	a.Gather(got, all)
	after := r.s.Counts()
	r.Equal(near, after.Near-before.Near)
	r.Equal(a.Len()-near, after.Remote-before.Remote)
	r.Equal(others, after.Hits-before.Hits)
	getAll()
	r.Equal(others, r.s.Counts().Hits-after.Hits)
}
