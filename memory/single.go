package memory

import "fmt"

// at is the distribution of n elements that one rank owns.
type at struct {
	n           uint64
	ranks, rank int
}

func (d at) Ranks() int  { return d.ranks }
func (d at) Len() uint64 { return d.n }

func (d at) Owner(key uint64) int {
	if key >= d.n {
		return -1
	}
	return d.rank
}

func (d at) Local(key uint64) int    { return int(key) }
func (d at) Key(_, local int) uint64 { return uint64(local) }
func (d at) Run(key uint64) uint64   { return d.n - key }
func (d at) Describe() string        { return fmt.Sprintf("at(rank=%d)", d.rank) }
func (d at) LocalLen(rank int) (n int) {
	if rank == d.rank {
		return int(d.n)
	}
	return 0
}

// Scalar is one value that any rank reads and writes.
type Scalar[T any] struct{ a *Array[T] }

// NewScalar allocates a scalar at a rank, by the rules of NewArray.
func NewScalar[T any](s *Space, name string, rank int) *Scalar[T] {
	return &Scalar[T]{NewArray[T](s, name, at{1, s.rank.Size(), rank})}
}

// Get reads the value, as Array.Get does.
func (v *Scalar[T]) Get() T { return v.a.Get(0) }

// Put writes the value, as Array.Put does.
func (v *Scalar[T]) Put(to T) { v.a.Put(0, to) }

// Array returns the scalar as an array of one element, for operations on words, references and batches.
func (v *Scalar[T]) Array() *Array[T] { return v.a }

// Free frees the scalar, as Array.Free does.
func (v *Scalar[T]) Free() error { return v.a.Free() }

// Heap holds values of one type that ranks make one by one. The rank that made a value owns it until the heap is freed.
type Heap[T any] struct {
	a    *Array[T]
	used int // values of this rank
}

// NewHeap allocates a heap with room for each values per rank, by the rules of NewArray. Room takes memory on its first
// use.
func NewHeap[T any](s *Space, name string, each int) *Heap[T] {
	if each < 0 {
		s.fail("memory.NewHeap", fmt.Errorf("heap %q with room for %d values of each rank: give 0 or more", name, each))
	}
	return &Heap[T]{a: NewArray[T](s, name, rows{uint64(each), s.rank.Size()})}
}

// New makes a value on this rank, and returns its global address. It may be called wherever the rank runs, and ends the
// job if there is no room left.
func (h *Heap[T]) New(v T) Ref[T] {
	h.mustBe("New")
	if h.used == len(h.a.local) {
		h.a.misuse("New", "all of its room for %d values of a rank is used: give NewHeap more", h.used)
	}
	store(pointer(h.a.local, h.used), v)
	h.used++
	return h.a.Ref(h.a.d.Key(h.a.s.rank.ID(), h.used-1))
}

// Array returns the heap as an array, for batches. Elements are numbered by rank, and Array.Index returns the number of
// a reference.
func (h *Heap[T]) Array() *Array[T] { return h.a }

// Local returns the values of this rank.
func (h *Heap[T]) Local() []T {
	h.mustBe("Local")
	return h.a.local[:h.used]
}

// mustBe ends the job after Free.
func (h *Heap[T]) mustBe(call string) {
	if h.a.freed {
		h.a.outside(call, 0)
	}
}

// Free frees the heap, as Array.Free does.
func (h *Heap[T]) Free() error { return h.a.Free() }

// rows is the distribution of the same number of elements to each rank.
type rows struct {
	each  uint64
	ranks int
}

func (d rows) Ranks() int                 { return d.ranks }
func (d rows) Len() uint64                { return d.each * uint64(d.ranks) }
func (d rows) Local(key uint64) int       { return int(key % d.each) }
func (d rows) Key(rank, local int) uint64 { return uint64(rank)*d.each + uint64(local) }
func (d rows) LocalLen(int) int           { return int(d.each) }
func (d rows) Run(key uint64) uint64      { return d.each - key%d.each }
func (d rows) Describe() string           { return fmt.Sprintf("rows(each=%d)", d.each) }

func (d rows) Owner(key uint64) int {
	if key >= d.Len() {
		return -1
	}
	return int(key / d.each)
}
