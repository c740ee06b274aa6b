package access

import "github.com/activepebbles/pebbles/apps"

// word is a word of the table.
func word(seed, i uint64) uint64 { return apps.Fold(seed, i) }

// draw draws indices: those that a rank accesses, of so many words in all.
type draw struct {
	state     uint64
	mask      uint64 // of a rank's words
	bits      int
	rank      uint64
	ranks     uint64
	own, rest bool // all are the rank's, or none is
}

func (c GatherConfig) draw(rank, ranks int) draw {
	return draw{
		state: apps.Fold(c.Seed, uint64(rank)), mask: 1<<c.Log2Words - 1, bits: c.Log2Words, rank: uint64(rank), ranks: uint64(ranks),
		own: c.Way == ByLoad || c.Way == LoadChain, rest: c.Others && ranks > 1,
	}
}

// next is the index after a word has been read; 0 where it does not depend on one.
func (d *draw) next(read uint64) uint64 {
	d.state = d.state*6364136223846793005 + 1442695040888963407 + read
	owner := d.rank
	switch {
	case d.own:
	case d.rest:
		if owner = (d.state >> 8 & 0xffffff) * (d.ranks - 1) >> 24; owner >= d.rank {
			owner++
		}
	default:
		owner = (d.state >> 8 & 0xffffff) * d.ranks >> 24
	}
	return owner<<d.bits | d.state>>32&d.mask
}
