package alltoall

import (
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/target"
)

// pattern is what the bytes of all items follow from.
type pattern struct{ seed uint64 }

// first is the first word of an item. Those of two rounds differ between any two ranks.
func (p pattern) first(from, to uint32, round uint64) uint64 {
	return first(p.base(from, to), round)
}

// base is what the items from one rank to another have in common.
func (p pattern) base(from, to uint32) uint64 {
	return apps.Mix(p.seed ^ (uint64(from)<<32 | uint64(to)))
}

// first is a bijection of rounds.
func first(base, round uint64) uint64 { return base + round*0x9E3779B97F4A7C15 }

// mark is a bijection of first words. First words of a pair of ranks lie in equal steps, so sums of theirs would not
// tell rounds 1 and 4 from rounds 2 and 3. Sums of marks do.
func mark(first uint64) uint64 { return first ^ first>>32 }

// from are the bases of all items of a rank, by receiver.
func (p pattern) from(self, ranks int) []uint64 {
	bases := make([]uint64, ranks)
	for to := range bases {
		bases[to] = p.base(uint32(self), uint32(to))
	}
	return bases
}

// next is the word of an item after another: a step of a linear congruential generator, one multiplication.
func next(word uint64) uint64 { return word*6364136223846793005 + 1442695040888963407 }

// item is an item of 8, 16, 32 or 64 bytes as it travels.
type item[B words] struct {
	To, From uint32
	Round    uint64
	Words    B // its bytes
}

type words interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [8]uint64
}

// plain registers a target for items of plain data, and returns a function that sends all of this rank's to it.
func plain[B words](b *bench) (send func()) {
	t := target.New(b.rank, "item", b.owner, target.Keys(itemKeys[B]), target.Batch(func(its []item[B]) { receive(b.inbox, its) }))
	bases := b.inbox.pattern.from(b.rank.ID(), b.rank.Size())
	return func() {
		stream(b, t.SendAll, func(its []item[B], c *course) { fill(its, bases, c) })
	}
}

func itemKeys[B words](its []item[B], keys []uint64) {
	keys = keys[:len(its)]
	for i := range its {
		keys[i] = uint64(its[i].To)
	}
}

// fill makes the next items of a rank's course.
func fill[B words](its []item[B], bases []uint64, c *course) {
	for i := range its {
		it := &its[i]
		it.From = c.self
		it.To, it.Round = c.next()
		word := first(bases[it.To], it.Round)
		for w := range len(it.Words) {
			it.Words[w] = word
			word = next(word)
		}
	}
}

// receive is the handler.
func receive[B words](in *inbox, its []item[B]) {
	in.tally.Handled += uint64(len(its))
	for i := range its {
		it := &its[i]
		if !in.expects(it.To, it.From, it.Round) {
			in.refuse(it.To)
			continue
		}
		first := first(in.senders[it.From].base, it.Round)
		word, wrong := first, uint64(0)
		for w := range len(it.Words) {
			wrong |= it.Words[w] ^ word
			word = next(word)
		}
		if wrong != 0 {
			in.refuse(it.To)
			continue
		}
		in.put(it.From, first)
	}
}

// letter is an item of any size outside of its frame. Its bytes are there alone: the codec writes them into the frame,
// and compares them where they lie, so that nothing is allocated for an item.
type letter struct {
	To, From uint32
	Round    uint64
	damaged  bool // came with other bytes than it was sent with
}

// coded is plain for items of any size.
func (b *bench) coded() (send func()) {
	t := target.New(b.rank, "item", b.owner,
		target.Key(func(l letter) uint64 { return uint64(l.To) }),
		target.Batch(b.inbox.open),
		target.Coded(codec{b.inbox.pattern, b.config.Bytes}))
	return func() { stream(b, t.SendAll, write) }
}

// write makes the next letters of a rank's course.
func write(ls []letter, c *course) {
	for i := range ls {
		l := &ls[i]
		l.From = c.self
		l.To, l.Round = c.next()
	}
}

// open is the handler.
func (in *inbox) open(ls []letter) {
	in.tally.Handled += uint64(len(ls))
	for _, l := range ls {
		if l.damaged || !in.expects(l.To, l.From, l.Round) {
			in.refuse(l.To)
			continue
		}
		in.put(l.From, in.pattern.first(l.From, l.To, l.Round))
	}
}

// codec writes a letter as To, From and Round, and its bytes.
type codec struct {
	pattern pattern
	bytes   int // of an item
}

const letterHead = 16 // bytes before those of the item

// Append implements target.Codec.
func (c codec) Append(dst []byte, l letter) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint32(dst, l.To)
	dst = binary.LittleEndian.AppendUint32(dst, l.From)
	dst = binary.LittleEndian.AppendUint64(dst, l.Round)
	word, left := c.pattern.first(l.From, l.To, l.Round), c.bytes
	for ; left >= 8; left -= 8 {
		dst = binary.LittleEndian.AppendUint64(dst, word)
		word = next(word)
	}
	for ; left > 0; left-- {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst, nil
}

// Decode implements target.Codec.
func (c codec) Decode(src []byte) (letter, error) {
	if len(src) != letterHead+c.bytes {
		return letter{}, fmt.Errorf("an item of %d bytes came as %d", letterHead+c.bytes, len(src))
	}
	l := letter{
		To:    binary.LittleEndian.Uint32(src),
		From:  binary.LittleEndian.Uint32(src[4:]),
		Round: binary.LittleEndian.Uint64(src[8:]),
	}
	l.damaged = !c.pattern.wrote(src[letterHead:], c.pattern.first(l.From, l.To, l.Round))
	return l, nil
}

// Schema tells ranks apart that were given items of different sizes.
func (c codec) Schema() string {
	return fmt.Sprintf("%d bytes of head and %d of item", letterHead, c.bytes)
}

// wrote reports whether bytes are those of the item with this first word.
func (p pattern) wrote(bytes []byte, word uint64) bool {
	for ; len(bytes) >= 8; bytes = bytes[8:] {
		if binary.LittleEndian.Uint64(bytes) != word {
			return false
		}
		word = next(word)
	}
	for _, b := range bytes {
		if b != byte(word) {
			return false
		}
		word >>= 8
	}
	return true
}

// inbox is what a rank knows of the items that came to it.
type inbox struct {
	pattern pattern
	self    uint32
	rounds  uint64
	senders []tally
	tally   apps.Tally // of items that came, in whatever state
	damaged uint64     // items that are not as any that was sent to this rank
}

// tally is what a rank knows of one sender, however many the rounds.
type tally struct {
	base uint64 // of its items
	came uint64
	sum  uint64 // of the marks of the items that came
}

func newInbox(p pattern, self, ranks int, rounds uint64) *inbox {
	in := &inbox{pattern: p, self: uint32(self), rounds: rounds, senders: make([]tally, ranks)}
	for from := range in.senders {
		in.senders[from].base = p.base(uint32(from), in.self)
	}
	return in
}

// expects reports whether an item of this sender and round can come here, where it says that it goes.
func (in *inbox) expects(to, from uint32, round uint64) bool {
	return to == in.self && from != in.self && uint64(from) < uint64(len(in.senders)) && round < in.rounds
}

// put notes an item that came whole. It must be expected.
func (in *inbox) put(from uint32, first uint64) {
	t := &in.senders[from]
	t.came++
	t.sum += mark(first)
}

// refuse notes an item that did not come whole, or is not expected.
func (in *inbox) refuse(to uint32) {
	in.damaged++
	if to != in.self {
		in.tally.Misplaced++
	}
}

// Faults is what went wrong, in items.
type Faults struct {
	Lost    uint64 `json:"lost"`    // did not come, or not whole
	Twice   uint64 `json:"twice"`   // came once too often
	Damaged uint64 `json:"damaged"` // came with other bytes than they were sent with, or to the wrong rank
}

// faults compares what came with what should have.
func (in *inbox) faults() Faults {
	f := Faults{Damaged: in.damaged}
	for from, t := range in.senders {
		want := in.want(uint32(from))
		switch {
		case t.came < want.came:
			f.Lost += want.came - t.came
		case t.came > want.came:
			f.Twice += t.came - want.came
		case t.sum != want.sum:
			f.Lost++
			f.Twice++
		}
	}
	return f
}

// want is the tally of a sender all of whose items came once.
func (in *inbox) want(from uint32) (t tally) {
	if from == in.self {
		return t
	}
	for round := range in.rounds {
		t.sum += mark(in.pattern.first(from, in.self, round))
	}
	t.came = in.rounds
	return t
}

// errors counts the items that something is wrong with: one that came damaged did not come whole, and is one of the
// lost, unless it came whole too.
func (f Faults) errors() uint64 { return f.Twice + max(f.Lost, f.Damaged) }

func (f Faults) text() string {
	return fmt.Sprintf("%d lost, %d twice, %d damaged", f.Lost, f.Twice, f.Damaged)
}

func (f Faults) add(g Faults) Faults {
	return Faults{f.Lost + g.Lost, f.Twice + g.Twice, f.Damaged + g.Damaged}
}
