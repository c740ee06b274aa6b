package worlds

import (
	"errors"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// globals configures the global memory of the program. Worlds try a few of its operations among pebbles and faults; the
// tests of packages memory and pages try all of them, in simulated jobs of their own.
type globals struct {
	Arrays    int // percent of plain pebbles whose handler adds to an element of an array
	Addresses int // entries of the address cache plus 1; 0 is none
}

func (g globals) check() error {
	if g.Addresses > 1001 {
		return fmt.Errorf("worlds: addresses=%d: an address cache has 1,000 entries at most", g.Addresses)
	}
	return nil
}

// shared is the part of the program with arrays. Handlers add to sums on any rank. Each main function writes and reads
// its own range, which is spread over the ranks.
type shared struct {
	sums   *memory.Array[uint64] // by key
	ranges *memory.Array[uint64]
	mine   []uint64
	space  *memory.Space
	// references to an object of each rank: in successive epochs allocated, read by all, freed, and found missing
	refs []memory.Ref[uint64]
}

// rangeMost is the length of a rank's range.
const rangeMost = 5

// openArrays allocates the arrays, if the world has any.
func (p *program) openArrays() {
	if p.Arrays == 0 {
		return
	}
	r := p.rank
	s := memory.New(r)
	p.space = s
	p.mine = make([]uint64, rangeMost)
	p.sums = memory.NewArray[uint64](s, "sums", distribution.BlockCyclic(uint64(p.Keys), r.Size(), 3))
	p.ranges = memory.NewArray[uint64](s, "ranges", distribution.Shuffled(uint64(rangeMost*r.Size()), r.Size(), p.Seed))
}

// adds reports whether the handler of a pebble adds to a sum, and returns the place of the sum.
func (w *World) adds(k kind, v message) (at uint64, yes bool) {
	yes = k == plainKind && mix(v.ID, 21)%100 < uint64(w.Arrays)
	return mix(v.ID, 22) % uint64(w.Keys), yes
}

// add is the handler's work on arrays.
func (p *program) add(k kind, v message) {
	if at, yes := p.adds(k, v); yes {
		memory.AddStart(p.sums, at, v.ID)
	}
}

// access writes this rank's range and reads it back, within an epoch's body.
func (p *program) access(epoch int) error {
	if p.Arrays == 0 {
		return nil
	}
	lo, seed := uint64(rangeMost*p.rank.ID()), mix(p.Seed, uint64(epoch))
	for i := range p.mine {
		p.mine[i] = mix(seed, lo+uint64(i))
	}
	p.ranges.PutRange(lo, p.mine)
	clear(p.mine)
	p.ranges.GetRange(lo, p.mine)
	for i, v := range p.mine {
		if want := mix(seed, lo+uint64(i)); v != want {
			return fmt.Errorf("in epoch %d, rank %d has put %#x to its range, and got %#x", epoch, p.rank.ID(), want, v)
		}
	}
	return p.accessObjects(epoch)
}

// objectWord returns the content of the object that a rank allocates in an epoch.
func (p *program) objectWord(rank, epoch int) uint64 {
	return mix(mix(p.Seed, uint64(rank)), uint64(epoch))
}

// allocate makes the objects before every third epoch.
func (p *program) allocate(epoch int) (err error) {
	if p.Arrays == 0 || epoch%3 != 0 {
		return nil
	}
	part, ref := memory.Alloc[uint64](p.space, 1)
	part[0] = p.objectWord(p.rank.ID(), epoch)
	p.refs, err = pebble.AllGather(p.rank, ref)
	return err
}

// accessObjects reads the objects, frees this rank's object in the next epoch, and checks one epoch later that all are
// gone, even from the address cache.
func (p *program) accessObjects(epoch int) error {
	if epoch%3 == 1 {
		memory.Free(p.space, p.refs[p.rank.ID()])
		return nil
	}
	before := p.space.Counts()
	for rank, ref := range p.refs {
		switch v, err := memory.TryGet(p.space, ref); {
		case epoch%3 == 0 && (err != nil || v != p.objectWord(rank, epoch)):
			return fmt.Errorf("in epoch %d, the object of rank %d is %#x (%w)", epoch, rank, v, err)
		case epoch%3 == 2 && !errors.Is(err, memory.ErrFreed):
			return fmt.Errorf("in epoch %d, the object of rank %d is %#x (%w), and was freed", epoch, rank, v, err)
		}
	}
	if stale := p.space.Counts().Since(before).Stale; stale > 0 {
		return fmt.Errorf("in epoch %d, %d addresses of objects that were freed were in the cache of rank %d", epoch, stale,
			p.rank.ID())
	}
	return nil
}

// asked returns the number of pebbles that this rank's accesses were or caused.
func (p *program) asked() uint64 {
	if p.Arrays == 0 {
		return 0
	}
	return p.space.Counts().Pebbles
}

// compareArrays compares this rank's elements with the twin's, after a barrier.
func (p *program) compareArrays(epoch int, want []uint64) error {
	if p.Arrays == 0 {
		return nil
	}
	if err := p.rank.Barrier(); err != nil {
		return err
	}
	for i, v := range p.sums.Local() {
		if key := p.sums.Distribution().Key(p.rank.ID(), i); v != want[key] {
			return fmt.Errorf("after epoch %d, the sum of key %d at rank %d is %d, not %d", epoch, key, p.rank.ID(), v,
				want[key])
		}
	}
	for i, v := range p.ranges.Local() {
		key := p.ranges.Distribution().Key(p.rank.ID(), i)
		if w := mix(mix(p.Seed, uint64(epoch)), key); v != w {
			return fmt.Errorf("after epoch %d, element %d of the ranges at rank %d is %#x, not %#x", epoch, key, p.rank.ID(), v,
				w)
		}
	}
	return p.rank.Barrier() // other ranks may still be comparing
}
