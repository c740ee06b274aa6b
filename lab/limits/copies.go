package limits

import (
	"fmt"
	"sync"
	"time"
	"unsafe"
)

// Copies is a copy of memory by goroutines, each from its own piece to another.
type Copies struct {
	Bytes  int // of a piece: a multiple of 8
	Pieces int // and number of goroutines
	Rounds int
}

// Run copies, and compares every word of the last round.
func (c Copies) Run() (Report, error) {
	if c.Bytes < 8 || c.Bytes%8 != 0 || c.Pieces < 1 || c.Rounds < 1 {
		return Report{}, fmt.Errorf("%d rounds of %d pieces of %d bytes: give a multiple of 8 for the bytes, and one "+
			"or more of the others",
			c.Rounds, c.Pieces, c.Bytes)
	}
	from, to := make([][]uint64, c.Pieces), make([][]uint64, c.Pieces)
	for i := range from {
		from[i], to[i] = make([]uint64, c.Bytes/8), make([]uint64, c.Bytes/8)
		for j := range from[i] {
			from[i][j] = numbered(i, j)
		}
		clear(to[i]) // so that its pages exist before the timed part
	}
	var running sync.WaitGroup
	start := time.Now()
	for i := range from {
		running.Go(func() {
			for range c.Rounds {
				copy(to[i], from[i])
			}
		})
	}
	running.Wait()
	r := Report{App: "limit-copy", Procs: 1}
	r.streamed(uint64(c.Bytes)*uint64(c.Pieces)*uint64(c.Rounds), time.Since(start))
	for i := range to {
		for j, v := range to[i] {
			if v != numbered(i, j) {
				r.Errors++
			}
		}
	}
	return r, nil
}

// numbered returns the word j of piece i.
func numbered(i, j int) uint64 { return (uint64(i)<<40 + uint64(j)) * 0x9E3779B97F4A7C15 }

// bytesOf returns the memory of words.
func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}
