package alltoall

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/target"
)

// numbers tells the items of a job apart: the first word of an item has its round, its sender and its receiver, so
// that it needs no head beside its bytes.
type numbers struct {
	bits uint8  // of a rank
	mask uint64 // of its bits
	seed uint64
}

func newNumbers(ranks int, seed uint64) numbers {
	n := uint8(max(1, bits.Len(uint(ranks-1))))
	return numbers{n, 1<<n - 1, apps.Mix(seed)}
}

// most is how many rounds fit an item of so many bytes.
func (n numbers) most(bytes int) uint64 { return 1 << (8*uint(min(bytes, 8)) - 2*uint(n.bits)) }

// id is the number of an item.
func (n numbers) id(from, to uint32, round uint64) uint64 {
	return round<<(2*n.bits&63) | uint64(from)<<(n.bits&63) | uint64(to)
}

func (n numbers) to(id uint64) uint32   { return uint32(id & n.mask) }
func (n numbers) from(id uint64) uint32 { return n.to(id >> (n.bits & 63)) }

// mark is a bijection. Numbers of a pair of ranks lie in equal steps, so sums of theirs would not tell rounds 1 and 4
// from rounds 2 and 3. Sums of marks do.
func mark(id uint64) uint64 {
	id *= 0x9E3779B97F4A7C15
	return id ^ id>>32
}

// next is the word of an item after another: a step of a linear congruential generator, one multiplication. The word
// after the first follows from the first and the seed.
func next(word uint64) uint64 { return word*6364136223846793005 + 1442695040888963407 }

// words are the items that travel as plain data.
type words interface {
	[1]uint64 | [2]uint64 | [4]uint64 | [8]uint64 | [16]uint64 | [64]uint64
}

// A filler makes items, and a reader looks at them: see fill and read.
type (
	filler[B words] func(its []B, ids []uint64, seed uint64)
	reader[B words] func(its []B, ids []uint64, seed uint64) (whole bool)
)

// plain registers a target for items of plain data, and returns a function that sends all of this rank's to it.
func plain[B words](b *bench, fill filler[B], read reader[B]) (send func()) {
	n := b.inbox.numbers
	t := target.New(b.rank, "item", b.owner, target.Keys(keysOf[B](n)),
		target.Batch(func(its []B) { receive(b.inbox, its, read) }))
	return func() {
		stream(b, t.SendAll, func(its []B, ids []uint64) { fill(its, ids, n.seed) })
	}
}

// keysOf are the receivers of items.
func keysOf[B words](n numbers) func(its []B, keys []uint64) {
	return func(its []B, keys []uint64) {
		keys, mask := keys[:len(its)], n.mask
		for i := range its {
			keys[i] = its[i][0] & mask
		}
	}
}

// fill makes the items of these numbers.
func fill[B words](its []B, ids []uint64, seed uint64) {
	for i, id := range ids[:len(its)] {
		its[i][0] = id
		word := id ^ seed
		for w := 1; w < len(its[i]); w++ {
			word = next(word)
			its[i][w] = word
		}
	}
}

// read gives the numbers of items, and tells whether all are as the items of these numbers were sent.
func read[B words](its []B, ids []uint64, seed uint64) (whole bool) {
	wrong := uint64(0)
	for i := range ids[:len(its)] {
		ids[i] = its[i][0]
		word := its[i][0] ^ seed
		for w := 1; w < len(its[i]); w++ {
			word = next(word)
			wrong |= its[i][w] ^ word
		}
	}
	return wrong == 0
}

// fillFour is fill for four words: without a loop over words it takes half as many instructions.
func fillFour(its [][4]uint64, ids []uint64, seed uint64) {
	for i, id := range ids[:len(its)] {
		first := next(id ^ seed)
		second := next(first)
		its[i] = [4]uint64{id, first, second, next(second)}
	}
}

// readFour is read for four words.
func readFour(its [][4]uint64, ids []uint64, seed uint64) (whole bool) {
	wrong := uint64(0)
	for i := range ids[:len(its)] {
		it := &its[i]
		ids[i] = it[0]
		first := next(it[0] ^ seed)
		second := next(first)
		wrong |= (it[1] ^ first) | (it[2] ^ second) | (it[3] ^ next(second))
	}
	return wrong == 0
}

// receive is the handler.
func receive[B words](in *inbox, its []B, read reader[B]) {
	ids := &in.ids
	in.tally.Handled += uint64(len(its))
	for some := range slices.Chunk(its, batch) {
		if read(some, ids[:], in.seed) {
			in.put(ids[:len(some)])
			continue
		}
		for i := range some {
			if read(some[i:i+1], ids[:], in.seed) {
				in.put(ids[:1])
			} else {
				in.refuse(ids[0])
			}
		}
	}
}

// short registers a target for items of 4 bytes.
func short(b *bench) (send func()) {
	n := b.inbox.numbers
	t := target.New(b.rank, "item", b.owner, target.Key(func(id uint32) uint64 { return uint64(n.to(uint64(id))) }),
		target.Batch(b.inbox.receiveShort))
	return func() {
		stream(b, t.SendAll, func(its []uint32, ids []uint64) {
			for i, id := range ids[:len(its)] {
				its[i] = uint32(id)
			}
		})
	}
}

// receiveShort is the handler of items of 4 bytes.
func (in *inbox) receiveShort(its []uint32) {
	ids := &in.ids
	in.tally.Handled += uint64(len(its))
	for some := range slices.Chunk(its, batch) {
		for i, id := range some {
			ids[i] = uint64(id)
		}
		in.put(ids[:len(some)])
	}
}

// letter is an item of any size outside of its frame. Its bytes are there alone: the codec writes them into the frame,
// and compares them where they lie, so that nothing is allocated for an item.
type letter struct {
	ID      uint64
	damaged bool // came with other bytes than it was sent with
}

// coded is plain for items of any size.
func (b *bench) coded() (send func()) {
	n := b.inbox.numbers
	t := target.New(b.rank, "item", b.owner,
		target.Key(func(l letter) uint64 { return uint64(n.to(l.ID)) }),
		target.Batch(b.inbox.open),
		target.Coded(codec{n, b.config.Bytes}))
	return func() { stream(b, t.SendAll, write) }
}

// write makes the letters of these numbers.
func write(ls []letter, ids []uint64) {
	for i, id := range ids[:len(ls)] {
		ls[i].ID = id
	}
}

// open is the handler.
func (in *inbox) open(ls []letter) {
	in.tally.Handled += uint64(len(ls))
	whole := in.ids[:0]
	for i := range ls {
		if len(whole) == batch {
			in.put(whole)
			whole = in.ids[:0]
		}
		if ls[i].damaged {
			in.refuse(ls[i].ID)
		} else {
			whole = append(whole, ls[i].ID)
		}
	}
	in.put(whole)
}

// codec writes the bytes of an item, of which there are 8 or more.
type codec struct {
	numbers
	bytes int // of an item
}

// Append implements target.Codec.
func (c codec) Append(dst []byte, l letter) ([]byte, error) {
	dst = binary.LittleEndian.AppendUint64(dst, l.ID)
	word, left := l.ID^c.seed, c.bytes-8
	for ; left >= 8; left -= 8 {
		word = next(word)
		dst = binary.LittleEndian.AppendUint64(dst, word)
	}
	word = next(word)
	for ; left > 0; left-- {
		dst = append(dst, byte(word))
		word >>= 8
	}
	return dst, nil
}

// Decode implements target.Codec.
func (c codec) Decode(src []byte) (letter, error) {
	if len(src) != c.bytes {
		return letter{}, fmt.Errorf("an item of %d bytes came as %d", c.bytes, len(src))
	}
	id := binary.LittleEndian.Uint64(src)
	return letter{id, !c.wrote(src[8:], id)}, nil
}

// Schema tells ranks apart that were given items of different sizes.
func (c codec) Schema() string { return fmt.Sprintf("items of %d bytes", c.bytes) }

// wrote reports whether bytes are those of the item with this number.
func (n numbers) wrote(bytes []byte, id uint64) bool {
	word := id ^ n.seed
	for ; len(bytes) >= 8; bytes = bytes[8:] {
		word = next(word)
		if binary.LittleEndian.Uint64(bytes) != word {
			return false
		}
	}
	word = next(word)
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
	numbers
	self    uint32
	rounds  uint64
	end     uint64 // above the numbers of all rounds
	senders []tally
	ids     [batch]uint64 // of items that a handler looks at
	tally   apps.Tally    // of items that came, in whatever state
	damaged uint64        // items that are not as any that was sent to this rank
}

// tally is what a rank knows of one sender, however many the rounds.
type tally struct {
	came uint64
	sum  uint64 // of the marks of the items that came
}

func newInbox(n numbers, self, ranks int, rounds uint64) *inbox {
	return &inbox{numbers: n, self: uint32(self), rounds: rounds, end: n.id(0, 0, rounds), senders: make([]tally, ranks)}
}

// put notes items that came whole, by their numbers: as many together as one rank has sent.
func (in *inbox) put(ids []uint64) {
	ends, end := uint64(1)<<(2*in.bits&63)-1, in.end // ends of an item's way: who sends it, and to whom
	for len(ids) > 0 {
		first := ids[0]
		from, n, sum := in.from(first), 0, uint64(0)
		if in.to(first) == in.self && int(from) < len(in.senders) {
			for n < len(ids) && (ids[n]^first)&ends == 0 && ids[n] < end {
				sum += mark(ids[n])
				n++
			}
		}
		if n == 0 {
			in.refuse(first)
			ids = ids[1:]
			continue
		}
		t := &in.senders[from]
		t.came += uint64(n)
		t.sum += sum
		ids = ids[n:]
	}
}

// refuse notes an item that did not come whole, or is not expected.
func (in *inbox) refuse(id uint64) {
	in.damaged++
	if in.to(id) != in.self {
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
		case from == int(in.self): // which sends itself nothing
			f.Damaged += t.came
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
		t.sum += mark(in.id(from, in.self, round))
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
