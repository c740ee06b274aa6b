package randomaccess

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/target"
	"github.com/activepebbles/pebbles/termination"
)

// factorVerify is the coalescing factor of the second run: one that the rule of 1,024 never yields for the first.
const factorVerify = 509

// verify is check by another path than the kernel's.
func (b *bench) verify() error {
	return b.check(b.updates("undo", target.Route(another(b.rank.Size())), target.Coalesce(factorVerify)))
}

// directMost is up to how many ranks the second run sends directly: beyond it, a lane for each rank would take more than all
// the rest.
const directMost = 1024

// another is the topology of the second run.
func another(ranks int) route.Constructor {
	if ranks <= directMost {
		return route.Direct
	}
	return route.MeshOf(4)
}

// check takes the checksum of the table, and counts what is wrong in it. It undoes all updates by send.
func (b *bench) check(send func(rans []uint64)) (err error) {
	if b.checksum, err = apps.Sum(b.rank, checksum(b.table, b.first())); err != nil {
		return err
	}
	seen := xor(b.table)
	var sent uint64
	if err := b.pass(func(rans []uint64) { sent ^= xor(rans); send(rans) }, pebble.EndBy(termination.SKR)); err != nil {
		return err
	}
	b.errors = b.wrong()
	// What was in the table, and what should have been: the stream over what is in it at the start.
	lost, err := pebble.AllReduce(b.rank, seen^sent^b.untouched(), func(x, y uint64) uint64 { return x ^ y })
	if err == nil && lost != 0 && b.rank.ID() == 0 {
		b.errors++
	}
	return err
}

// wrong counts the words that are not what they were at the start.
func (b *bench) wrong() (errors uint64) {
	first := b.first()
	for i, word := range b.table {
		if word != first+uint64(i) {
			errors++
		}
	}
	return errors
}

// untouched is the XOR of this rank's table as it was at the start.
func (b *bench) untouched() (sum uint64) {
	first := b.first()
	for i := range b.table {
		sum ^= first + uint64(i)
	}
	return sum
}

func xor(vs []uint64) (sum uint64) {
	for _, v := range vs {
		sum ^= v
	}
	return sum
}

// checksum is a fingerprint of the words from first on. Those of the parts of a table add up to that of the whole.
func checksum(table []uint64, first uint64) (sum uint64) {
	for i, word := range table {
		sum += mix(word ^ mix(first+uint64(i)))
	}
	return sum
}

// mix is a bijection that spreads every bit over all: the finalizer of SplitMix64.
func mix(v uint64) uint64 {
	v += 0x9E3779B97F4A7C15
	v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
	v = (v ^ v>>27) * 0x94D049BB133111EB
	return v ^ v>>31
}
