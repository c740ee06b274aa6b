package memory

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/request"
)

// NearPart returns the elements of a rank, as mapped on this one.
func NearPart[T any](a *Array[T], rank int) []T {
	near := a.nearby.part(rank).at
	if near == nil {
		near, _ = a.look(rank, 0)
	}
	return unsafe.Slice((*T)(near), a.d.LocalLen(rank))
}

// Left returns the number of exposures of this rank; at the end, of all ranks of its process and of arrays, too.
func Left(s *Space, end bool) int {
	d := s.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for h := range d.objects {
		if end || h.partition() == s.rank.ID() { // others may be ahead
			n++
		}
	}
	return n
}

// Answered makes a rank take an answer to a question that it has not asked.
func Answered(s *Space, call uint32) {
	s.arrive([]answered{{To: request.NewAddress(s.rank.ID(), call)}})
}

// Withdraw withdraws the memory of an array unexpectedly.
func Withdraw[T any](a *Array[T]) {
	if err := a.s.memory.Withdraw(a.s.directory.find(a.key).base); err != nil {
		panic(err)
	}
}

// Addresses returns the number of addresses in the process's cache.
func Addresses(s *Space) (n int) {
	d := s.directory
	for index := range uint64(s.common) + 1 {
		for partition := range 2*d.place.Ranks + 2 {
			if d.known(uint64(newHandle(partition, int(index)))) != nil {
				n++
			}
		}
	}
	return n
}

// Allows returns the reason of an entry of the given size to refuse an access; "" for none.
func Allows(offset, bytes, room uint64) string {
	e := &entry{kind: 1, bytes: room}
	if no := e.allows(1, offset, bytes, room); no != none {
		return no.of(0).Error()
	}
	return ""
}
