package pages

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/internal/inside"
)

// Slice is one rank's access to a shared slice. Its elements are numbered from 0, and a distribution gives the home of
// each.
type Slice[T any] struct {
	r *region
	a *memory.Array[T]
}

// Option is a setting of a slice.
type Option interface{ apply(*settings) }

type settings struct{ pageBytes int }

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// PageBytes sets the size of pages: a power of two from 64 bytes to 1 MiB. A page has the number of elements that fit.
func PageBytes(n int) Option { return option(func(s *settings) { s.pageBytes = n }) }

// NewSlice allocates a shared slice of zero elements. All ranks call it in the same order, between epochs, with equal
// arguments. The distribution gives the homes. Its blocks, except the last, must have the same length, as those of
// distribution.Block and distribution.BlockCyclic; a page crosses none of them. T is plain data. NewSlice ends the job,
// as target.New does, if memory does not suffice or arguments are wrong.
//
// Homes take the memory of all elements once, when it is first touched. Copies take addresses for all of them on each
// rank that makes some, and memory within the job's --page-cache.
func NewSlice[T any](s *Space, name string, d distribution.Indexed, options ...Option) *Slice[T] {
	const call = "pages.NewSlice"
	given := settings{pageBytes: s.config.PageBytes}
	for _, o := range options {
		o.apply(&given)
	}
	fail := func(err error) { s.fail(call, fmt.Errorf("slice %q: %w", name, err)) }
	if err := checkPageBytes(given.pageBytes); err != nil {
		fail(err)
	}
	a := memory.NewArray[T](s.shared, fmt.Sprintf("%s, in pages of %d bytes", name, given.pageBytes), d)
	size := int(reflect.TypeFor[T]().Size())
	l, err := newLayout(d, size, given.pageBytes)
	if err != nil {
		fail(err)
	}
	sites := a.Inside(frame.Access{})
	r := &region{
		s: s, name: fmt.Sprintf("slice %q", name), layout: l, size: size,
		state: make([]state, l.pages()), stamp: make([]uint32, l.pages()),
	}
	for lo := uint64(0); lo < l.n; lo += l.run {
		site, from := sites[d.Owner(lo)], d.Local(lo)*size
		home := inside.Site{At: site.At.Plus(from)}
		if site.Near != nil {
			home.Near = site.Near[from : from+int(min(l.run, l.n-lo))*size]
		}
		r.homes = append(r.homes, home)
	}
	s.regions, r.id = inside.Place(s.regions, r)
	if r.id >= regionMax {
		fail(fmt.Errorf("a rank has %d slices at most: free those that are done", regionMax))
	}
	return &Slice[T]{r, a}
}

// Len returns the number of elements.
func (v *Slice[T]) Len() uint64 { return v.r.n }

// Distribution returns the distribution of elements to homes.
func (v *Slice[T]) Distribution() distribution.Indexed { return v.a.Distribution() }

// Read opens the elements lo to hi-1 for reading. The result is valid until the next acquire, release or barrier of any
// task of this rank, and is not Go's memory. Read is called in a task, in an epoch's body, and between epochs; in a
// handler too if all elements are near and at one home. It ends the job there if this rank has copies of their pages,
// for a longer span or by [Config], and the call would wait: for a task that changes pages, or for room.
//
// If all elements are near and at one home, the span is the home's own memory, and the call costs some nanoseconds for
// each page. Otherwise it consists of copies, and the call waits for those that are not valid. A span of copies must
// not overlap an open span of a home's own memory if one of them is written: the job then ends with an error that names
// the elements.
func (v *Slice[T]) Read(lo, hi uint64) []T { return elements[T](v.r.open("Read", lo, hi, reading)) }

// Write opens the elements lo to hi-1 for reading and writing, by the rules of Read. Ranks that acquire after this
// rank's next release see the elements that it has written. Other elements of the span keep the values that other ranks
// write.
func (v *Slice[T]) Write(lo, hi uint64) []T { return elements[T](v.r.open("Write", lo, hi, writing)) }

// Home returns the near elements lo to hi-1 of one home where they lie, for package checkpoint. If they are to be
// changed, other ranks see that after this rank's next release. It may be called wherever nothing is open.
func (v *Slice[T]) Home(_ frame.Access, lo, hi uint64, change bool) []T {
	r := v.r
	if hi > r.n {
		r.outside("a checkpoint", lo, hi)
	}
	for p := r.page(lo); change && p <= r.page(hi-1); p++ {
		r.mark(p, writing)
		r.invalidate(p, 1)
	}
	from, size := int(lo%r.run)*r.size, int(hi-lo)*r.size
	return elements[T](r.homes[r.runOf(r.page(lo))].Near[from : from+size])
}

func elements[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(*new(T)))
}

// Free frees the slice on all ranks. They call it in the same order, between epochs.
func (v *Slice[T]) Free() error {
	r := v.r
	if r.freed {
		r.misuse("Free", "it was freed already")
	}
	s := r.s
	s.begin("Free")
	s.forget(r)
	for p := range r.state {
		if r.state[p]&resident != 0 {
			s.held -= r.pageBytes(p)
		}
	}
	r.invalidate(0, len(r.state))
	r.freed, r.n, r.state, r.homes = true, 0, nil, nil
	s.regions[r.id] = nil
	if r.copy != nil {
		exposed.Unmap(r.copy)
		r.copy = nil
	}
	s.end()
	return v.a.Free()
}
