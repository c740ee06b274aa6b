package contagion

import "github.com/activepebbles/pebbles/pebble"

// store keeps the visits of a day in blocks, so that it grows without moving what it has. Its memory serves the next
// day.
type store struct {
	blocks [][]visit
	n      int
}

const (
	blockBits = 16
	blockSize = 1 << blockBits // visits: 2.25 MiB
	blockMask = blockSize - 1
)

// add appends a visit, and returns it.
func (s *store) add(v *visit) *visit {
	block, at := s.n>>blockBits, s.n&blockMask
	if block == len(s.blocks) {
		s.blocks = append(s.blocks, pebble.HugePages[visit](blockSize))
	}
	s.n++
	to := &s.blocks[block][at]
	*to = *v
	return to
}

// at is the visit with a number.
func (s *store) at(i int) *visit { return &s.blocks[i>>blockBits][i&blockMask] }

// clear forgets all visits.
func (s *store) clear() { s.n = 0 }
