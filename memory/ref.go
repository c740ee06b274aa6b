package memory

import (
	"unsafe"
)

// Ref is the global address of one element of type T: 16 bytes of plain data. It may travel in pebbles, be an element
// itself, and be used on every rank of its job by [Get], [Put] and their neighbours. The zero value refers to nothing.
type Ref[T any] struct {
	at    handle
	place uint64 // the job's tag, and the element
}

func newRef[T any](s *Space, at handle, element uint64) Ref[T] {
	return Ref[T]{at, s.tag<<elementBits | element}
}

func (r Ref[T]) element() uint64 { return r.place & (elementsMax - 1) }

// IsNil reports whether r refers to nothing.
func (r Ref[T]) IsNil() bool { return r == Ref[T]{} }

// Plus returns a reference to the element n further on, of the same allocation.
func (r Ref[T]) Plus(n uint64) Ref[T] {
	// An element that is too far is in no allocation.
	r.place = r.place&^(elementsMax-1) | min(r.element()+min(n, elementsMax-1), elementsMax-1)
	return r
}

// Ref returns the global address of an element.
func (a *Array[T]) Ref(i uint64) Ref[T] {
	if i >= a.n {
		a.outside("Ref", i)
	}
	return newRef[T](a.s, a.key, i)
}

// Index returns the number of the element of this array that r refers to.
func (a *Array[T]) Index(r Ref[T]) uint64 {
	if r.at != a.key || r.element() >= a.n || !a.s.ours(r.place) {
		a.misuse("Index", "the reference is to something else")
	}
	return r.element()
}

// ours reports whether a reference belongs to this job.
func (s *Space) ours(place uint64) bool { return place>>elementBits == s.tag }

// check ends the job unless a reference is to an allocation of this job.
func check[T any](s *Space, r Ref[T]) {
	switch p := r.at.partition(); {
	case r.IsNil():
		s.misuse("a reference to nothing was used: references come from Array.Ref, Heap.New or Alloc")
	case !s.ours(r.place) || p > s.rank.Size() || r.at.index() == 0 || p == s.rank.Size() && r.at.index() > s.common:
		s.misuse("a reference of another job was used: references are good in the job that has made them")
	}
}

// Resolve returns the array that r refers to, and the number of the element there. It is not for references from Alloc.
func Resolve[T any](s *Space, r Ref[T]) (*Array[T], uint64) {
	check(s, r)
	if r.at.partition() < s.rank.Size() {
		s.misuse("a reference to %v was resolved, which is in no array: use Get, Put, GetRange and PutRange", r.at)
	}
	known, ok := s.known[r.at.index()]
	if !ok {
		s.misuse("a reference to array %d of the job was used, which has been freed", r.at.index())
	}
	a, ok := known.(*Array[T])
	switch {
	case !ok:
		s.misuse("a reference of another type was used for %d bytes of array %d of the job: references keep their type",
			unsafe.Sizeof(*new(T)), r.at.index())
	case r.element() >= a.n:
		a.outside("Resolve", r.element())
	}
	return a, r.element()
}

// Get reads the element that r refers to, by the rules of Array.Get.
func Get[T any](s *Space, r Ref[T]) T {
	if r.at.partition() == s.rank.Size() {
		a, i := Resolve(s, r)
		return a.Get(i)
	}
	v, err := tryGet(s, "Get", r)
	must(s, "Get", err)
	return v
}

// Put writes the element that r refers to, by the rules of Array.Put.
func Put[T any](s *Space, r Ref[T], v T) {
	if r.at.partition() == s.rank.Size() {
		a, i := Resolve(s, r)
		a.Put(i, v)
		return
	}
	must(s, "Put", tryPut(s, "Put", r, v))
}

// GetRange reads elements from the one that r refers to on, by the rules of Array.GetRange.
func GetRange[T any](s *Space, r Ref[T], dst []T) {
	if r.at.partition() == s.rank.Size() {
		a, i := Resolve(s, r)
		a.GetRange(i, dst)
		return
	}
	must(s, "GetRange", move(s, "GetRange", r, dst, getting))
}

// PutRange writes elements from the one that r refers to on, by the rules of Array.PutRange.
func PutRange[T any](s *Space, r Ref[T], src []T) {
	if r.at.partition() == s.rank.Size() {
		a, i := Resolve(s, r)
		a.PutRange(i, src)
		return
	}
	must(s, "PutRange", move(s, "PutRange", r, src, putting))
}

// TryGet is Get for an object that another rank may free meanwhile: then it returns an error that names the object and
// wraps [ErrFreed].
func TryGet[T any](s *Space, r Ref[T]) (T, error) {
	if r.at.partition() == s.rank.Size() {
		return Get(s, r), nil
	}
	return tryGet(s, "TryGet", r)
}

// TryPut is Put for an object that another rank may free meanwhile, by the rules of [TryGet]. After an error, nothing
// was written.
func TryPut[T any](s *Space, r Ref[T], v T) error {
	if r.at.partition() == s.rank.Size() {
		Put(s, r, v)
		return nil
	}
	return tryPut(s, "TryPut", r, v)
}
