package alltoall

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/target"
)

// numbers makes the numbers of the items of a job. The first word of an item holds its round, its sender and its
// receiver, so that it needs no header.
type numbers struct {
	bits uint8  // of a rank
	mask uint64 // of its bits
	seed uint64
}

func newNumbers(ranks int, seed uint64) numbers {
	n := uint8(max(1, bits.Len(uint(ranks-1))))
	return numbers{n, 1<<n - 1, apps.Mix(seed)}
}

// most returns the number of rounds that fit an item of a given size.
func (n numbers) most(bytes int) uint64 { return 1 << (8*uint(min(bytes, 8)) - 2*uint(n.bits)) }

// id returns the number of an item.
func (n numbers) id(from, to uint32, round uint64) uint64 {
	return round<<(2*n.bits&63) | uint64(from)<<(n.bits&63) | uint64(to)
}

func (n numbers) to(id uint64) uint32   { return uint32(id & n.mask) }
func (n numbers) from(id uint64) uint32 { return n.to(id >> (n.bits & 63)) }

// mark is a bijection. The numbers of a pair of ranks are evenly spaced, so their sums would be equal for rounds 1 and
// 4 and for rounds 2 and 3. Sums of marks differ.
func mark(id uint64) uint64 {
	id *= 0x9E3779B97F4A7C15
	return id ^ id>>32
}

// kind is the addressing, making and reading of items of one size.
type kind[V any] struct {
	keys target.Keying[V]
	// fill makes the items with these numbers.
	fill func(its []V, ids []uint64)
	// number returns the number of an item.
	number func(it *V) uint64
	// read counts the leading items that are whole and belong to the run, and sums the marks of their numbers.
	read func(its []V, r run) (n int, sum uint64)
}

// register registers a target for items, and returns a function that sends all items of this rank to it.
func register[V any](b *bench, k kind[V], options ...target.Option) (send func()) {
	t := target.New(b.rank, "item", b.owner, k.keys,
		target.Batch(func(its []V) { receive(b.inbox, its, k) }), options...)
	return func() { stream(b, t.SendAll, k.fill) }
}

// plain returns the kind of items of four words and more.
func plain[B words](n numbers) kind[B] {
	return kind[B]{
		keys:   target.LowBits[B](int(n.bits)),
		fill:   func(its []B, ids []uint64) { fill(its, ids, n.seed) },
		number: func(it *B) uint64 { return (*it)[0] },
		read:   read[B],
	}
}

// fill makes the items with these numbers, four words at a time.
func fill[B words](its []B, ids []uint64, seed uint64) {
	one, four := generator, fourth
	for i, id := range ids[:len(its)] {
		it := fours(&its[i], 0)
		first := (id^seed)*one.times + one.plus
		second := first*one.times + one.plus
		word := second*one.times + one.plus
		*it = [4]uint64{id, first, second, word}
		for w := 1; w < foursOf[B](); w++ {
			some := fours(&its[i], w)
			some[0] = word*one.times + one.plus
			some[1] = some[0]*one.times + one.plus
			some[2] = some[1]*one.times + one.plus
			word = word*four.times + four.plus
			some[3] = word
		}
	}
}

// read is kind.read of plain items.
func read[B words](its []B, r run) (n int, sum uint64) {
	one, four := generator, fourth
	for i := range its {
		it := fours(&its[i], 0)
		id := it[0]
		first := (id^r.seed)*one.times + one.plus
		second := first*one.times + one.plus
		word := second*one.times + one.plus
		if !r.has(id) || it[1] != first || it[2] != second || it[3] != word {
			return i, sum
		}
		for w := 1; w < foursOf[B](); w++ {
			some := fours(&its[i], w)
			first := word*one.times + one.plus
			second := first*one.times + one.plus
			third := second*one.times + one.plus
			word = word*four.times + four.plus
			if some[0] != first || some[1] != second || some[2] != third || some[3] != word {
				return i, sum
			}
		}
		sum += mark(id)
	}
	return len(its), sum
}

// two returns the kind of items of two words.
func two(n numbers) kind[[2]uint64] {
	return kind[[2]uint64]{
		keys: target.LowBits[[2]uint64](int(n.bits)),
		fill: func(its [][2]uint64, ids []uint64) {
			for i, id := range ids[:len(its)] {
				its[i] = [2]uint64{id, next(id ^ n.seed)}
			}
		},
		number: func(it *[2]uint64) uint64 { return it[0] },
		read: func(its [][2]uint64, r run) (int, uint64) {
			sum := uint64(0)
			for i := range its {
				id := its[i][0]
				if !r.has(id) || its[i][1] != next(id^r.seed) {
					return i, sum
				}
				sum += mark(id)
			}
			return len(its), sum
		},
	}
}

// bare returns the kind of items of only their number.
func bare[V uint32 | uint64](n numbers) kind[V] {
	return kind[V]{
		keys: target.LowBits[V](int(n.bits)),
		fill: func(its []V, ids []uint64) {
			for i, id := range ids[:len(its)] {
				its[i] = V(id)
			}
		},
		number: func(it *V) uint64 { return uint64(*it) },
		read: func(its []V, r run) (int, uint64) {
			sum := uint64(0)
			for i, it := range its {
				if !r.has(uint64(it)) {
					return i, sum
				}
				sum += mark(uint64(it))
			}
			return len(its), sum
		},
	}
}

// letter is an item of any size outside its frame. Its bytes are only in the frame: the codec writes them there, and
// compares them in place, so that an item needs no allocation.
type letter struct {
	ID      uint64
	damaged bool // received with wrong bytes
}

// coded returns the kind of items of any size.
func coded(n numbers) kind[letter] {
	return kind[letter]{
		keys: target.Key(func(l letter) uint64 { return uint64(n.to(l.ID)) }),
		fill: func(ls []letter, ids []uint64) {
			for i, id := range ids[:len(ls)] {
				ls[i].ID = id
			}
		},
		number: func(l *letter) uint64 { return l.ID },
		read: func(ls []letter, r run) (n int, sum uint64) {
			for i := range ls {
				if ls[i].damaged || !r.has(ls[i].ID) {
					return i, sum
				}
				sum += mark(ls[i].ID)
			}
			return len(ls), sum
		},
	}
}

// codec writes the bytes of an item, 8 or more.
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

// Schema differs between ranks configured with different sizes of items.
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
