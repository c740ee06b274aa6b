package exposed

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/pending"
)

// Owner exposes memory of its process's segment, and withdraws it. Any goroutine may call it.
//
// It keeps its records in private memory, since other processes may write to the segment.
type Owner struct {
	mu    sync.Mutex
	own   *Segment
	free  spans
	given pending.Table[exposure] // by entry; generations are the turns of keys
	late  []uint32                // entries that were withdrawn during an access
	bytes int64                   // exposed now
	count int
}

// exposure is the content of an entry, until no user accesses it.
type exposure struct {
	span
	bytes int
	live  bool // not withdrawn
}

// turnMax is the largest number of exposures of an entry: a key has 32 bits for the turn, and no key is used twice.
const turnMax = 1<<(64-slotBits) - 1

// NewOwner makes the owner of a segment.
func NewOwner(s *Segment) *Owner {
	return &Owner{own: s, free: spans{{0, len(s.arena)}}, given: pending.Table[exposure]{Uses: turnMax}}
}

// Expose allocates n zero bytes that begin on a page. others are the segments of other processes whose users may access
// the memory.
func (o *Owner) Expose(n int, others []*Segment) (key uint64, memory []byte, err error) {
	if n <= 0 {
		return 0, nil, fmt.Errorf("%d bytes: expose one at least", n)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.reap(others)
	size, align := roundUp(n, pageBytes), pageBytes
	if n >= hugeBytes {
		align = hugeBytes
		if err := cpu.CheckMemory(n, "bytes", 1, cpu.MemoryAvailable()); err != nil {
			return 0, nil, err
		}
	}
	var s span
	ok := size > 0 && size <= len(o.own.arena)
	if ok {
		s, ok = o.free.cut(size, align)
	}
	if !ok {
		return 0, nil, fmt.Errorf("%d bytes: this process has room for %d and exposes %d already: "+
			"withdraw some, or use more processes",
			n, len(o.own.arena), o.bytes)
	}
	if o.given.Full(len(o.own.entries)) {
		o.free.insert(s)
		return 0, nil, fmt.Errorf("%d pieces of memory are exposed by this process, the most: expose fewer and larger ones",
			len(o.own.entries))
	}
	number := o.given.Add(exposure{s, n, true})
	o.bytes += int64(size)
	o.count++
	memory = o.own.arena[s.from : s.from+n : s.from+n]
	cpu.HugePages(o.own.arena[s.from:s.to])
	key = uint64(o.given.Generation(number))<<slotBits | uint64(number)
	e := &o.own.entries[number]
	e.offset.Store(uint64(s.from))
	e.bytes.Store(uint64(n))
	e.last.Store(key)
	e.key.Store(key)
	return key, memory, nil
}

// Withdraw withdraws the exposure of a key. Its data is lost when Withdraw returns.
func (o *Owner) Withdraw(key uint64, others []*Segment) Fault {
	o.mu.Lock()
	defer o.mu.Unlock()
	number := uint32(key)
	t, fault := o.find(key)
	if fault != None {
		return fault
	}
	t.live = false
	o.own.entries[number].key.Store(0)
	o.bytes -= int64(t.to - t.from)
	o.count--
	o.own.drop(t.span) // if this fails, reap clears it
	o.late = append(o.late, number)
	o.reap(others)
	return None
}

// find returns the exposure of a key.
func (o *Owner) find(key uint64) (*exposure, Fault) {
	number := uint32(key)
	t, last := o.given.At(number), uint64(o.given.Generation(number))
	switch turn := key >> slotBits; {
	case turn == 0 || turn > last:
		return nil, Unknown
	case turn < last || t == nil || !t.live:
		return nil, Withdrawn
	}
	return t, None
}

// exposed returns the memory of a key.
func (o *Owner) exposed(key uint64) ([]byte, Fault) {
	o.mu.Lock()
	defer o.mu.Unlock()
	t, fault := o.find(key)
	if fault != None {
		return nil, fault
	}
	return o.own.arena[t.from : t.from+t.bytes : t.from+t.bytes], None
}

// Exposed returns the number of exposures, and their bytes.
func (o *Owner) Exposed() (count int, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count, o.bytes
}

// reap frees the withdrawn entries that no user accesses any more.
func (o *Owner) reap(others []*Segment) {
	o.late = slices.DeleteFunc(o.late, func(number uint32) bool {
		inIt := func(s *Segment) bool { return s.entered(o.own, number) }
		if inIt(o.own) || slices.ContainsFunc(others, inIt) {
			return false
		}
		t := o.given.Remove(number)
		if !o.own.drop(t.span) { // again: whoever was in it may have written after the first time
			clear(o.own.arena[t.from:t.to])
		}
		o.free.insert(t.span)
		return true
	})
}

// entered reports whether a user of this segment's process accesses an entry of a segment, which may be this one.
func (s *Segment) entered(of *Segment, number uint32) bool {
	here := of.here(number)
	for i := range s.users {
		if s.users[i].at.Load() == here {
			return true
		}
	}
	return false
}

// drop returns memory to the system; it then reads as zero. It returns false if the system does not take it.
func (s *Segment) drop(at span) bool { return DropPages(s.arena[at.from:at.to], s.shared) }

// Drop returns all exposed memory of the process to the system, at the end.
func (o *Owner) Drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.given.All() {
		if t.live {
			o.own.drop(t.span)
		}
	}
}

// spans are free parts of an arena, in order and not adjacent.
type spans []span

type span struct{ from, to int }

// cut cuts out n bytes that begin at a multiple of align, from the first part with enough room.
func (all *spans) cut(n, align int) (span, bool) {
	for i, s := range *all {
		from := roundUp(s.from, align)
		if from+n > s.to {
			continue
		}
		var rest []span
		if from > s.from {
			rest = append(rest, span{s.from, from})
		}
		if from+n < s.to {
			rest = append(rest, span{from + n, s.to})
		}
		*all = slices.Replace(*all, i, i+1, rest...)
		return span{from, from + n}, true
	}
	return span{}, false
}

// insert puts a part back.
func (all *spans) insert(s span) {
	i, _ := slices.BinarySearchFunc(*all, s.from, func(s span, from int) int { return s.from - from })
	*all = slices.Insert(*all, i, s)
	if next := i + 1; next < len(*all) && (*all)[next].from == s.to {
		(*all)[i].to = (*all)[next].to
		*all = slices.Delete(*all, next, next+1)
	}
	if i > 0 && (*all)[i-1].to == s.from {
		(*all)[i-1].to = (*all)[i].to
		*all = slices.Delete(*all, i, i+1)
	}
}

var (
	_ [0]byte = [unsafe.Sizeof(entry{}) - 64]byte{}
	_ [0]byte = [unsafe.Sizeof(mark{}) - markBytes]byte{}
)
