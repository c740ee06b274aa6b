package worlds

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// change is a step on a word.
type change int

const (
	drawTicket  change = iota // adds one, and keeps the old number: each is drawn once
	addLater                  // adds, and waits for nothing
	swapWord                  // swaps: each number that goes in comes out, except those left at the end
	compareSwap               // adds one by compare-and-swap
	tellFenced                // writes two words, and sends pebbles after a fence, whose handlers find them
	changes
	wordKinds = int(tellFenced) // words of their own
)

// changeOf draws the kind of a step, and one of n words of that kind.
func changeOf(number uint64, n int) (c change, at int) {
	return change(mix(number, 60) % uint64(changes)), int(mix(number, 61) % uint64(n))
}

// wordSet is words that any rank changes in one step.
type wordSet interface {
	allocate(seed uint64) error
	free() error
	keepStale()
	owner(at int) int
	add(at int, n uint64) uint64
	addLater(at int, n uint64)
	swap(at int, v uint64) uint64
	compareAndSwap(at int, old, v uint64) bool
	put(at int, v *uint64) // begins
	fence()
	local(at int) uint64 // of this rank
}

// words are those of one set, and what this rank has seen of them: tickets, and as notes what it has swapped in, less
// what came out.
type words struct {
	p *program
	n int // of a kind
	*ledger
	set   wordSet
	fence *target.Target[fenced]
	slots int // of this rank, that were used in this epoch
}

// fenced says that a word was written before.
type fenced struct {
	To, At uint32
	Value  uint64
}

// slotsEach is the number of words that a rank writes and tells others of, in an epoch.
const slotsEach = 12

// length is how many words there are in all: of each kind, and slots of all ranks.
func (w *words) length() int { return wordKinds*w.n + slotsEach*w.p.Ranks }

func (p *program) openWords(name string, n int, set wordSet) *words {
	w := &words{p: p, n: n, ledger: newLedger(n), set: set}
	w.fence = target.New(p.rank, name, distribution.Ranks(p.Ranks),
		target.Key(func(f fenced) uint64 { return uint64(f.To) }),
		target.TryEach(func(_ *target.Target[fenced], f fenced) error {
			if v := set.local(int(f.At)); v != f.Value {
				return fmt.Errorf("rank %d was told after a fence that %#x was written, and finds %#x",
					p.rank.ID(), f.Value, v)
			}
			return nil
		}))
	return w
}

// change takes a step.
func (w *words) change(number uint64) error {
	c, k := changeOf(number, w.n)
	at := int(c)*w.n + k
	switch c {
	case drawTicket:
		w.ticket(uint64(k), w.set.add(at, 1))
	case addLater:
		w.set.addLater(at, number)
	case swapWord:
		w.Notes[k] += number - w.set.swap(at, number)
	case compareSwap:
		for old := uint64(0); !w.set.compareAndSwap(at, old, old+1); {
			old = w.set.add(at, 0)
		}
	default:
		w.tell(number)
	}
	return nil
}

// tell writes to slots of its own, and tells their owners after a fence.
func (w *words) tell(number uint64) {
	const each = 2
	if w.slots+each > slotsEach {
		return
	}
	first := wordKinds*w.n + slotsEach*w.p.rank.ID() + w.slots
	w.slots += each
	var values [each]uint64
	for i := range values {
		values[i] = mix(number, uint64(70+i))
		w.set.put(first+i, &values[i])
	}
	w.set.fence()
	for i, v := range values {
		w.fence.Send(fenced{uint32(w.set.owner(first + i)), uint32(first + i), v})
		w.p.stores.pebbles++
	}
	w.fence.Flush()
}

// compare compares the words of this rank with the twin's.
func (w *words) compare(epoch int, want worded) error {
	for at := range wordKinds * w.n {
		if w.set.owner(at) != w.p.rank.ID() {
			continue
		}
		c, k, v := change(at/w.n), at%w.n, w.set.local(at)
		if c == swapWord {
			continue
		}
		if e := [][]uint64{drawTicket: want.tickets, addLater: want.sums, compareSwap: want.swaps}[c][k]; v != e {
			return fmt.Errorf("after epoch %d, word %d of kind %d at rank %d is %d, not %d",
				epoch, k, c, w.p.rank.ID(), v, e)
		}
	}
	return nil
}

// balance is the ledger less the numbers that are left in the words of this rank.
func (w *words) balance() *ledger {
	l := w.clone()
	for k := range w.n {
		if at := int(swapWord)*w.n + k; w.set.owner(at) == w.p.rank.ID() {
			l.Notes[k] -= w.set.local(at)
		}
	}
	return l
}

// inArray is words of an array.
type inArray struct {
	p *program
	a *memory.Array[uint64]
}

func (s *inArray) allocate(seed uint64) error {
	d := s.p.spread(s.p.stores.words[0].length(), mix(seed, 62))
	s.a = memory.NewArray[uint64](s.p.stores.space, "words", d)
	return nil
}

func (s *inArray) free() error { return s.a.Free() }

func (s *inArray) keepStale() {
	a, all := s.a, s.p.stores
	all.stale = append(all.stale, []stale{
		{"Add", func() { memory.Add(a, 0, 1) }},
		{"AddStart", func() { memory.AddStart(a, 0, 1) }},
		{"Swap", func() { memory.Swap(a, 0, 1) }},
		{"CompareAndSwap", func() { memory.CompareAndSwap(a, 0, 0, 1) }},
	}...)
}

func (s *inArray) owner(at int) int             { return s.a.Distribution().Owner(uint64(at)) }
func (s *inArray) add(at int, n uint64) uint64  { return memory.Add(s.a, uint64(at), n) }
func (s *inArray) addLater(at int, n uint64)    { memory.AddStart(s.a, uint64(at), n) }
func (s *inArray) swap(at int, v uint64) uint64 { return memory.Swap(s.a, uint64(at), v) }
func (s *inArray) put(at int, v *uint64)        { s.a.PutStart(uint64(at), v) }
func (s *inArray) fence()                       { s.p.stores.space.Fence() }
func (s *inArray) local(at int) uint64          { return s.a.Local()[s.a.Distribution().Local(uint64(at))] }

func (s *inArray) compareAndSwap(at int, old, v uint64) bool {
	return memory.CompareAndSwap(s.a, uint64(at), old, v)
}

// sided is words that each rank has exposed, dealt to all ranks by turns, and accessed by netio.OneSided.
type sided struct {
	p      *program
	engine *engine.Rank
	memory netio.OneSided
	all    []netio.Address // by rank
	own    []byte
	loose  netio.Completion // of operations that nobody waits for
}

func newSided(p *program) *sided {
	s := &sided{p: p, engine: engine.RankOf(p.rank)}
	s.memory = s.engine.Exposed.OneSided(s.loose.Err)
	return s
}

func (s *sided) allocate(uint64) error {
	words := s.p.stores.words[1].length()
	a, own, err := s.memory.Expose(8 * (1 + words/s.p.Ranks))
	if err != nil {
		return err
	}
	s.own = own
	s.all, err = pebble.AllGather(s.p.rank, a)
	return err
}

// free withdraws the exposed memory of this rank, once no rank accesses it any more.
func (s *sided) free() error {
	if err := s.p.rank.Barrier(); err != nil {
		return err
	}
	if err := s.memory.Withdraw(s.all[s.p.rank.ID()]); err != nil {
		return err
	}
	return s.p.rank.Barrier()
}

func (s *sided) keepStale() {
	at, all := s.all[(s.p.rank.ID()+1)%s.p.Ranks], s.p.stores
	try := func(do func(c *netio.Completion)) func() bool {
		return func() bool {
			var c netio.Completion
			do(&c)
			s.await(&c)
			var refused *netio.AddressError
			return errors.As(c.Err(), &refused)
		}
	}
	word := make([]byte, 8)
	all.withdrawn = append(all.withdrawn, []withdrawn{
		{"Put of bytes", try(func(c *netio.Completion) { s.memory.Put(at, word, c) })},
		{"Get of bytes", try(func(c *netio.Completion) { s.memory.Get(at, word, c) })},
		{"Add to a word", try(func(c *netio.Completion) { s.memory.Add(at, 1, nil, c) })},
	}...)
}

// await waits for operations, in a task or in an epoch's body.
func (s *sided) await(c *netio.Completion) {
	const call = "an access"
	if !s.engine.InTask(call) {
		s.engine.Loop.Await(call, c.Done)
		return
	}
	for !c.Done() {
		s.p.tasks.scheduler.Yield()
	}
}

// done waits for an operation that must not fail.
func (s *sided) done(c *netio.Completion) {
	s.await(c)
	if err := c.Err(); err != nil {
		s.engine.Check() // when the job has failed, that is the cause
		s.engine.Fail(err)
	}
}

func (s *sided) owner(at int) int { return at % s.p.Ranks }

func (s *sided) address(at int) netio.Address { return s.all[s.owner(at)].Plus(8 * (at / s.p.Ranks)) }

// wait begins an operation, and waits for it.
func (s *sided) wait(begin func(c *netio.Completion)) {
	var c netio.Completion
	begin(&c)
	s.done(&c)
}

func (s *sided) add(at int, n uint64) (old uint64) {
	s.wait(func(c *netio.Completion) { s.memory.Add(s.address(at), n, &old, c) })
	return old
}

func (s *sided) swap(at int, v uint64) (old uint64) {
	s.wait(func(c *netio.Completion) { s.memory.Swap(s.address(at), v, &old, c) })
	return old
}

func (s *sided) compareAndSwap(at int, expect, v uint64) bool {
	var old uint64
	s.wait(func(c *netio.Completion) { s.memory.CompareAndSwap(s.address(at), expect, v, &old, c) })
	return old == expect
}

func (s *sided) addLater(at int, n uint64) { s.memory.Add(s.address(at), n, nil, &s.loose) }
func (s *sided) put(at int, v *uint64)     { s.memory.Put(s.address(at), bytesOf(v), &s.loose) }
func (s *sided) fence()                    { s.wait(s.memory.Fence) }
func (s *sided) local(at int) uint64       { return wordAt(s.own, at/s.p.Ranks) }

// bytesOf are those of a word.
func bytesOf(v *uint64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), 8) }

// wordAt is a word of exposed memory.
func wordAt(all []byte, i int) uint64 { return *(*uint64)(unsafe.Pointer(&all[8*i])) }
