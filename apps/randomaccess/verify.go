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
	return b.check(b.updates("undo", b.see, target.Route(another(b.rank.Size())), target.Coalesce(factorVerify)))
}

// see notes updates that the second run's handler is given.
func (b *bench) see(rans []uint64) {
	b.undone.Handled += uint64(len(rans))
	b.undone.Misplaced += b.words.foreign(b.first, rans)
}

// directMost is up to how many ranks the second run sends directly: beyond it, a lane for each rank would take more
// than all the rest.
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
	if b.checksum, err = apps.Sum(b.rank, checksum(b.table, b.first)); err != nil {
		return err
	}
	changes, err := pebble.AllReduce(b.rank, b.changes(), func(x, y uint64) uint64 { return x ^ y })
	if err != nil {
		return err
	}
	b.isAstray = changes != total(b.config.updates()*uint64(b.rank.Size()))
	err = b.pass(send, pebble.EndBy(termination.SKR))
	b.errors = b.wrong()
	return err
}

// judge adds to the result what is wrong with it.
func (b *bench) judge(result *Result) error {
	if err := result.Found(b.rank, b.errors, "words of the table are wrong"); err != nil {
		return err
	}
	astray := uint64(0)
	if b.isAstray && b.rank.ID() == 0 {
		astray = 1
	}
	if err := result.Found(b.rank, astray, "XOR over the table is not that of the numbers sent"); err != nil {
		return err
	}
	if err := result.Prove(b.rank, b.undone, "the second run"); err != nil {
		return err
	}
	return result.Finish(b.rank, b.updated)
}

// wrong counts the words that are not what they were at the start.
func (b *bench) wrong() (errors uint64) {
	for i, word := range b.table {
		if word != b.first+uint64(i) {
			errors++
		}
	}
	return errors
}

// changes is the XOR of this rank's table and of what it was at the start.
func (b *bench) changes() (sum uint64) {
	for i, word := range b.table {
		sum ^= word ^ (b.first + uint64(i))
	}
	return sum
}

// checksum is a fingerprint of the words from first on. Those of the parts of a table add up to that of the whole.
func checksum(table []uint64, first uint64) (sum uint64) {
	for i, word := range table {
		sum += apps.Mix(word ^ apps.Mix(first+uint64(i)))
	}
	return sum
}
