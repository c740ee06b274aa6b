package randomaccess

import (
	"math/bits"

	"github.com/activepebbles/pebbles/pebble"
)

// The stream's numbers are polynomials over GF(2) of degree below 64, bit i the coefficient of x^i, modulo x^64 + x^2 +
// x + 1. Number n is x^n.

// low is x^64 modulo the polynomial.
const low = 1<<2 | 1<<1 | 1

// next returns the number after ran: ran times x.
func next(ran uint64) uint64 { return ran<<1 ^ uint64(int64(ran)>>63)&low }

// times multiplies two numbers by Horner's rule over the bits of b.
func times(a, b uint64) uint64 {
	var product uint64
	for bit := 63; bit >= 0; bit-- {
		product = next(product) ^ a&-(b>>bit&1)
	}
	return product
}

// number returns number n of the stream by squaring, in a few microseconds for any n.
func number(n uint64) uint64 {
	ran := uint64(1)
	for bit := 63; bit >= 0; bit-- {
		ran = times(ran, ran)
		if n>>bit&1 == 1 {
			ran = next(ran)
		}
	}
	return ran
}

// total returns the XOR of the numbers 1 to n: x + x^2 + ... + x^n. Its second half is the first times x^(n/2).
func total(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	half := total(n / 2)
	sum := half ^ times(half, number(n/2))
	if n%2 == 1 {
		sum ^= number(n)
	}
	return sum
}

// ahead returns the n-th number after ran, for n below 62: ran times x^n. It reduces degrees above 63 at once.
func ahead(ran uint64, n int) uint64 {
	high := ran >> (64 - n)
	return ran<<n ^ high ^ high<<1 ^ high<<2
}

// fill sets rans to the numbers after ran, and returns the last. Each number depends on the one before, so it makes
// four parts of the stream at the same time.
func fill(rans []uint64, ran uint64) uint64 {
	const part = 8
	for ; len(rans) >= 4*part; rans = rans[4*part:] {
		four := (*[4 * part]uint64)(rans)
		a, b, c, d := ran, ahead(ran, part), ahead(ran, 2*part), ahead(ran, 3*part)
		for i := range part {
			a, b, c, d = next(a), next(b), next(c), next(d)
			four[i], four[i+part], four[i+2*part], four[i+3*part] = a, b, c, d
		}
		ran = d
	}
	for i := range rans {
		ran = next(ran)
		rans[i] = ran
	}
	return ran
}

// words maps numbers of the stream to words of the table.
type words struct {
	total uint64 // number of words of the whole table
	own   uint64 // number of words of each rank, a power of two
}

// lowBits reports whether numbers choose their words by their low bits.
func (w words) lowBits() bool { return w.total&(w.total-1) == 0 }

// key returns the word of a number.
func (w words) key(ran uint64) uint64 {
	if w.lowBits() {
		return ran & (w.total - 1)
	}
	high, _ := bits.Mul64(ran, w.total)
	return high
}

// keys is key for many numbers, for tables whose words are not a power of two.
func (w words) keys(rans, keys []uint64) {
	keys = keys[:len(rans)]
	for i, ran := range rans {
		keys[i], _ = bits.Mul64(ran, w.total)
	}
}

// foreign returns the number of updates for words of other ranks. first is this rank's first word.
func (w words) foreign(first uint64, rans []uint64) (n uint64) {
	if w.lowBits() {
		differs := uint64(0)
		for _, ran := range rans {
			differs |= ran ^ first
		}
		if differs&(w.total-1)&^(w.own-1) == 0 {
			return 0
		}
	}
	for _, ran := range rans {
		if w.key(ran)-first >= w.own {
			n++
		}
	}
	return n
}

// apply updates the table of one rank by numbers for its words. The number of a rank's words is a power of two, so the
// low bits of a key are the local index.
func (w words) apply(table, rans []uint64) {
	if w.lowBits() {
		pebble.PrefetchEach(table, rans, func(rans []uint64) { xor(table, rans) })
		return
	}
	mask := uint64(len(table) - 1)
	for _, ran := range rans {
		key, _ := bits.Mul64(ran, w.total)
		table[key&mask] ^= ran
	}
}

// xor updates the words at the low bits of numbers, four per iteration. The compiler proves the indices in bounds.
func xor(table, rans []uint64) {
	n := len(table)
	if n == 0 {
		return
	}
	i := 0
	for ; i < len(rans)-3; i += 4 {
		four := rans[i : i+4 : i+4]
		table[int(four[0])&(n-1)] ^= four[0]
		table[int(four[1])&(n-1)] ^= four[1]
		table[int(four[2])&(n-1)] ^= four[2]
		table[int(four[3])&(n-1)] ^= four[3]
	}
	for ; i < len(rans); i++ {
		table[int(rans[i])&(n-1)] ^= rans[i]
	}
}

// update is the pebble of a run with a reduction cache, which merges updates of one word: a merged number alone no
// longer determines the word.
type update struct{ Key, Value uint64 }

func merge(a, b update) update { return update{a.Key, a.Value ^ b.Value} }

func updateKeys(us []update, keys []uint64) {
	keys = keys[:len(us)]
	for i, u := range us {
		keys[i] = u.Key
	}
}

func applyUpdates(table []uint64, us []update) {
	mask := uint64(len(table) - 1)
	pebble.PrefetchEach(table, us, func(us []update) {
		for _, u := range us {
			table[u.Key&mask] ^= u.Value
		}
	})
}
