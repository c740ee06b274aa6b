package memory

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/request"
)

// NearPart is the elements of a rank as this one has them mapped.
func NearPart[T any](a *Array[T], rank int) []T {
	near := a.nearby.part(rank).at
	if near == nil {
		near, _ = a.look(rank, 0)
	}
	return unsafe.Slice((*T)(near), a.d.LocalLen(rank))
}

// Left is how many exposures of this rank there are; at the end, of all ranks of its process and of arrays, too.
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

// Answered has a rank take an answer to a question that it has not asked.
func Answered(s *Space, call uint32) {
	s.arrive([]answered{{To: request.NewAddress(s.rank.ID(), call)}})
}

// Withdraw takes the memory of an array back, at a time when nobody expects it.
func Withdraw[T any](a *Array[T]) {
	if err := a.s.memory.Withdraw(a.s.directory.find(a.key).base); err != nil {
		panic(err)
	}
}

// Addresses is how many addresses the process's cache has.
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

// Allows has an entry of so many bytes say why an access must not be done; "" where it may.
func Allows(offset, bytes, room uint64) string {
	e := &entry{kind: 1, bytes: room}
	if no := e.allows(1, offset, bytes, room); no != none {
		return no.of(0).Error()
	}
	return ""
}
