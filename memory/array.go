package memory

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/pebble"
)

// Array is one rank's access to a distributed array. Its elements are numbered from 0, and a distribution gives the
// owner of each. Indices beyond the end, and calls after Free, end the job.
type Array[T any] struct {
	s     *Space
	name  string
	key   handle
	d     distribution.Indexed
	runs  runner // d, if it is one of ours with neighbours
	n     uint64
	local []T
	views []*copied[T] // released views
	freed bool
	safe  bool // results of d need no checks

	blocks *distribution.BlockMap // d, if it is a BlockMap
	nearby nearby
}

// runner is a distribution that reports runs of neighbours.
type runner interface{ Run(key uint64) uint64 }

// vote is the value by which ranks compare an allocation.
type vote struct {
	Sum         uint64 // checksum of the values that all must agree on
	Rank, Other uint32 // Other is 1 more than a rank with another sum; 0 for none
}

func (v vote) with(o vote) vote {
	switch {
	case v.Other == 0 && o.Other > 0:
		return o
	case v.Other == 0 && v.Sum != o.Sum:
		v.Other = o.Rank + 1
	}
	return v
}

// NewArray allocates an array of zero elements. All ranks call it in the same order, between epochs, with equal
// arguments. Each process exposes the elements that its ranks own in one piece. It receives the addresses of other
// processes' elements with its first access to each: the job keeps no table of them. NewArray ends the job, as
// target.New does, if memory does not suffice, if T is not plain data, or if d is for another number of ranks.
func NewArray[T any](s *Space, name string, d distribution.Indexed) *Array[T] {
	const call = "memory.NewArray"
	t := reflect.TypeFor[T]()
	if err := s.admit(t, d); err != nil {
		s.fail(call, fmt.Errorf("array %q: %w", name, err))
	}
	a := &Array[T]{s: s, name: name, d: d, n: d.Len(), safe: proven(d)}
	if a.safe {
		a.runs, _ = d.(runner)
	}
	a.blocks, _ = d.(*distribution.BlockMap)
	s.common++
	a.key = newHandle(s.rank.Size(), s.common)
	o, err := a.expose()
	if err != nil {
		s.fail(call, fmt.Errorf("array %q of %d elements of %v: %w", name, a.n, t, err))
	}
	description := describe(name, t, d)
	v, err := pebble.AllReduce(s.rank, vote{Sum: checksum(description), Rank: uint32(s.rank.ID())}, vote.with)
	if err != nil {
		s.engine.Check() // the job has failed: this ends the rank
	}
	if v.Other > 0 {
		s.fail(call, fmt.Errorf("rank %d allocates something else than rank %d; rank %d allocates array %s: "+
			"all ranks must allocate the same, in the same order", v.Other-1, v.Rank, s.rank.ID(), description))
	}
	settle(a, o)
	s.known[s.common] = a
	return a
}

// admit returns the reason why an array of such elements over a distribution is impossible.
func (s *Space) admit(t reflect.Type, d distribution.Indexed) error {
	if err := layout.Plain(t); err != nil {
		return fmt.Errorf("%w: keep such values with their rank, and ask for them by package delegate", err)
	}
	ranks := s.rank.Size()
	switch own, one := d.(at); {
	case t.Size() == 0:
		return fmt.Errorf("elements of type %v have no bytes", t)
	case d == nil:
		return errors.New("it has no distribution: give one, such as distribution.Block")
	case d.Ranks() != ranks:
		return fmt.Errorf("its distribution is for %d ranks, the job has %d", d.Ranks(), ranks)
	case one && (own.rank < 0 || own.rank >= ranks):
		return fmt.Errorf("it is at rank %d, ranks are 0 to %d", own.rank, ranks-1)
	case s.common == objectsMax:
		return fmt.Errorf("%d allocations are the limit of a job", objectsMax)
	}
	return nil
}

// proven reports whether the results of a distribution need no checks.
func proven(d distribution.Indexed) bool {
	switch d.(type) {
	case at, rows:
		return true
	}
	return distribution.Proven(d)
}

// describe returns a text of the values that all ranks must agree on.
func describe(name string, t reflect.Type, d distribution.Indexed) string {
	text := fmt.Sprintf("%q of %s, %d elements", name, layout.Describe(t), d.Len())
	if d, ok := d.(distribution.Describer); ok {
		text += ", " + d.Describe()
	}
	return text
}

func checksum(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64()
}

// partAlign is the alignment of parts of a piece of memory, in bytes: two cache lines, which processors fetch together.
const partAlign = 128

// layOut implements spread.
func (a *Array[T]) layOut(process int) (first int, offsets []int) {
	first, last := a.s.directory.place.Span(process)
	offsets = make([]int, 1, last-first+1)
	for rank := first; rank < last; rank++ {
		end := offsets[rank-first] + a.d.LocalLen(rank)*int(a.size())
		offsets = append(offsets, (end+partAlign-1)&^(partAlign-1))
	}
	return first, offsets
}

// expose exposes the parts of this process's ranks, unless another one of them has done so.
func (a *Array[T]) expose() (*object, error) {
	place, room := a.s.directory.place, math.MaxInt/int(a.size())-partAlign
	for rank := place.First; rank < place.Last; rank++ {
		if room -= a.d.LocalLen(rank) + partAlign; room < 0 {
			return nil, errors.New("the elements of a process are more than any machine has room for")
		}
	}
	if a.n > elementsMax {
		return nil, fmt.Errorf("an array has at most %d elements", uint64(elementsMax))
	}
	first, offsets := a.layOut(place.Process)
	return a.s.directory.join(a.key, first, offsets, a.s.memory.Expose)
}

// settle stores the addresses of the parts of this process's ranks.
func settle[T any](a *Array[T], o *object) {
	parts := make([]site, len(o.offsets)-1)
	for i := range parts {
		if a.d.LocalLen(o.first+i) > 0 {
			parts[i].at = unsafe.Pointer(&o.near[o.offsets[i]])
		}
	}
	a.nearby = newNearby(a.d, o.first, parts)
	if own := a.nearby.part(a.s.rank.ID()); own.at != nil {
		a.local = unsafe.Slice((*T)(own.at), a.d.LocalLen(a.s.rank.ID()))
	}
}

// Len returns the number of elements.
func (a *Array[T]) Len() uint64 { return a.n }

// Distribution returns the distribution of the elements.
func (a *Array[T]) Distribution() distribution.Indexed { return a.d }

// Local returns this rank's part: Local()[i] is the element of local index i of the distribution. The memory is not
// Go's. It is valid until Free, or until the rank's function has returned; after Free the slice is empty. Use
// sync/atomic for elements that others may access at the same time.
func (a *Array[T]) Local() []T { return a.local }

// Free frees the array on all ranks. They call it in the same order, between epochs.
func (a *Array[T]) Free() error {
	if a.freed {
		a.misuse("Free", "it was freed already")
	}
	if err := a.s.rank.Barrier(); err != nil {
		return err
	}
	a.freed, a.n, a.local, a.nearby = true, 0, nil, nearby{}
	delete(a.s.known, a.key.index())
	if err := a.s.directory.leave(a.key, a.s.memory.Withdraw); err != nil {
		return a.s.engine.FailIn("memory.Free", err)
	}
	return a.s.rank.Barrier() // so the next allocation finds the room
}

func (a *Array[T]) misuse(call, format string, args ...any) {
	a.s.misuse("%s of array %q: %s", call, a.name, fmt.Sprintf(format, args...))
}

// outside ends the job: index i is out of range.
func (a *Array[T]) outside(call string, i uint64) {
	if a.freed {
		a.misuse(call, "it was freed")
	}
	arrayLacks(a.s, call, a.name, "index %d is out of range: it has %d elements", i, a.n)
}

// size returns the size of an element.
func (a *Array[T]) size() uintptr { return unsafe.Sizeof(*new(T)) }

// find finds an element. near is its address if the element is near and the address known, and else nil.
func (a *Array[T]) find(call string, i uint64) (near unsafe.Pointer, owner, local int) {
	if i >= a.n {
		a.outside(call, i)
	}
	if i < a.nearby.n { // no calls, and no division
		owner, local = int(i>>(a.nearby.shift&63)), int(i&a.nearby.mask)
	} else if a.blocks != nil { // one division
		owner = a.blocks.Owner(i)
		local = int(i - a.blocks.Key(owner, 0))
	} else if owner, local = a.d.Owner(i), a.d.Local(i); !a.safe {
		a.check(call, i, owner, local, 1)
	}
	if part := a.nearby.part(owner); part.at != nil {
		near = unsafe.Add(part.at, uintptr(local)*a.size())
		a.s.counts.Near++
		a.s.counts.Hits += part.other
	}
	return near, owner, local
}

// look finds an element that find has not found: its address if the address cache has it mapped here, and else the spot
// of the access.
func (a *Array[T]) look(owner, local int) (near unsafe.Pointer, to spot) {
	s, offset := a.s, local*int(a.size())
	if e := s.directory.known(s.directory.key(a.key, owner)); e != nil {
		s.counts.Hits++
		offset += e.offsets[owner-e.first]
		if e.near != nil {
			s.counts.Near++
			a.nearby.add(owner, unsafe.Pointer(&e.near[e.offsets[owner-e.first]]))
			return unsafe.Pointer(&e.near[offset]), spot{}
		}
		s.counts.Remote++
		return nil, spot{known: true, at: e.base.Plus(offset)}
	}
	s.counts.Misses++
	s.counts.Remote++
	return nil, spot{owner: owner, of: a.key, offset: uint64(offset)}
}

// check ends the job if a distribution from outside this module returns impossible values.
func (a *Array[T]) check(call string, i uint64, owner, local int, n uint64) {
	if owner < 0 || owner >= a.s.rank.Size() || local < 0 || local >= a.d.LocalLen(owner) ||
		n > uint64(a.d.LocalLen(owner)-local) {
		a.misuse(call, "its distribution says that element %d is number %d of rank %d, which is none", i, local, owner)
	}
}

// wait returns a wait for operations of this array.
func (a *Array[T]) wait() *wait {
	w := a.s.wait()
	w.name = a.name
	return w
}
