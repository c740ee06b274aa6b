package memory

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/layout"
)

func (h handle) String() string { return fmt.Sprintf("object %d of rank %d", h.index(), h.partition()) }

// Alloc allocates n zero elements on this rank alone, and returns them with the reference to the first. It sends
// nothing: users of the reference receive size and address with their first access. It may be called wherever the rank
// runs, and ends the job if memory does not suffice. The memory is not Go's. It is valid until [Free], or until the
// rank's function has returned.
//
// An object takes at least a page, and some microseconds. A process has at most 65,536 objects and arrays at a time:
// for many small values use a [Heap].
func Alloc[T any](s *Space, n int) ([]T, Ref[T]) {
	t := reflect.TypeFor[T]()
	size := int(t.Size())
	switch err := layout.Plain(t); {
	case err != nil:
		s.misuse("Alloc: %v: keep such values with their rank, and ask for them by package delegate", err)
	case size == 0:
		s.misuse("Alloc: elements of type %v have no bytes", t)
	case n < 1 || n > elementsMax/size:
		s.misuse("Alloc of %d elements of %v: give 1 to %d", n, t, elementsMax/size)
	case s.own == objectsMax:
		s.misuse("Alloc: %d objects are as many as a rank may allocate", objectsMax)
	}
	at, memory, err := s.memory.Expose(n * size)
	if err != nil {
		s.engine.Fail(fmt.Errorf("memory: rank %d: Alloc of %d elements of %v: %w", s.rank.ID(), n, t, err))
	}
	s.own++
	h := newHandle(s.rank.ID(), s.own)
	s.directory.add(h, &object{
		entry: entry{
			base: at, near: memory, first: s.rank.ID(), offsets: alone, kind: s.kind(t), bytes: uint64(n * size),
		},
		given: map[int]bool{},
	})
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), newRef[T](s, h, 0)
}

// Free frees an object that this rank has allocated by [Alloc]; r may refer to any of its elements. It is called in an
// epoch, also in handlers and tasks, and does not wait. Later accesses fail with ErrFreed. Accesses in progress succeed
// or fail with ErrFreed: none reaches a later allocation. Processes that have the address are asked to drop it. The
// memory is withdrawn when all have answered: at the end of the epoch at the latest.
func Free[T any](s *Space, r Ref[T]) {
	const call = "Free"
	check(s, r)
	h := r.at
	if h.partition() != s.rank.ID() {
		if h.partition() == s.rank.Size() {
			s.misuse("Free of a reference to array %d of the job: all ranks free it, by Array.Free", h.index())
		}
		s.misuse("Free of %v: the rank that has allocated an object frees it", h)
	}
	s.mayStart(call)
	o := s.directory.find(h)
	switch {
	case o == nil:
		s.misuse("Free of %v: %v", h, ErrFreed)
	case o.kind != s.kind(reflect.TypeFor[T]()):
		s.misuse("Free of %v: %v", h, errKind)
	}
	s.directory.drop(h)
	o.open = 1
	for process := range o.given {
		o.open++
		s.ask(access{spot: spot{owner: s.directory.firstOf(process), of: h}, what: forgetting, object: o}, 0, 0)
	}
	s.forgotten(o)
}

// forgotten records that one more process has dropped the address of a freed object. After the last one, it withdraws
// the memory.
func (s *Space) forgotten(o *object) {
	if o.open--; o.open > 0 {
		return
	}
	if err := s.memory.Withdraw(o.base); err != nil {
		s.engine.Fail(fmt.Errorf("memory: rank %d: Free: %w", s.rank.ID(), err))
	}
}

// kind returns a checksum of the memory layout of elements; it is not 0.
func (s *Space) kind(t reflect.Type) uint64 {
	k, ok := s.kinds[t]
	if !ok {
		k = checksum(layout.Describe(t)) | 1
		s.kinds[t] = k
	}
	return k
}

// reach finds n elements of an object, and returns the spot of an access to them.
func reach[T any](s *Space, call string, r Ref[T], n int) (to spot, err error) {
	check(s, r)
	d, h, size := s.directory, r.at, uint64(unsafe.Sizeof(*new(T)))
	owner, kind := h.partition(), s.kind(reflect.TypeFor[T]())
	beyond, offset := bits.Mul64(r.element(), size)
	to = spot{owner: owner, of: h, kind: kind, offset: offset}
	if beyond > 0 {
		return to, outOfRange.of(h)
	}
	var e *entry
	if d.place.Has(owner) {
		o := d.find(h)
		if o == nil {
			return to, wasFreed.of(h)
		}
		e = &o.entry
		s.counts.Near++
	} else {
		s.mayWait(call)
		if e = d.known(uint64(h)); e == nil {
			s.counts.Misses++
			s.counts.Remote++
			return to, nil
		}
		s.counts.Hits++
		if e.near != nil {
			s.counts.Near++
		} else {
			s.counts.Remote++
		}
	}
	if no := e.allows(kind, to.offset, uint64(n)*size, e.bytes); no != none {
		return to, no.of(h)
	}
	to.known, to.at = true, e.base.Plus(int(to.offset)) // not e.near: it may be freed and allocated again
	return to, nil
}

func tryGet[T any](s *Space, call string, r Ref[T]) (v T, err error) {
	to, err := reach(s, call, r, 1)
	if err != nil {
		return v, s.failing(call, err)
	}
	w := s.wait()
	at := buffer[T](w)
	s.move(to, getting, layout.Bytes(at), &w.c)
	s.await(call, w)
	v = *at
	return v, s.ended(call, to, w)
}

func tryPut[T any](s *Space, call string, r Ref[T], v T) error {
	to, err := reach(s, call, r, 1)
	if err != nil {
		return s.failing(call, err)
	}
	w := s.wait()
	at := buffer[T](w)
	*at = v
	s.move(to, putting, layout.Bytes(at), &w.c)
	s.await(call, w)
	return s.ended(call, to, w)
}

// move reads or writes elements.
func move[T any](s *Space, call string, r Ref[T], all []T, way operation) error {
	to, err := reach(s, call, r, len(all))
	if err != nil {
		return s.failing(call, err)
	}
	w := s.wait()
	s.move(to, way, layout.BytesOf(all), &w.c)
	s.await(call, w)
	return s.ended(call, to, w)
}

// ended releases a wait, and returns the error of its access if the object was freed. Other errors end the job.
func (s *Space) ended(call string, to spot, w *wait) error {
	err := w.c.Err()
	s.release(w)
	if err == nil {
		return nil
	}
	if told := to.of.told(err); told != err {
		s.counts.Stale++
		s.forget(to.of) // the answer arrived after the message that it was freed
		err = told
	}
	return s.failing(call, err)
}

// failing returns an ErrFreed error, and ends the job for all others.
func (s *Space) failing(call string, err error) error {
	var o *objectError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrFreed):
		return fmt.Errorf("memory: rank %d: %s: %w", s.rank.ID(), call, err)
	case errors.As(err, &o) && o.cause == errRange:
		lacks(s, call, o.of.String(), "%v", errRange)
	case errors.As(err, &o):
		s.misuse("%s: %v", call, err)
	}
	s.engine.Check() // if the job has failed, that is the cause
	s.engine.Fail(fmt.Errorf("memory: rank %d: %s: %w", s.rank.ID(), call, err))
	return nil
}

// must ends the job for an access to a freed object.
func must(s *Space, call string, err error) {
	if err != nil {
		s.misuse("%s: %v", call, errors.Unwrap(err))
	}
}
