package coalesce

import (
	"unsafe"

	"github.com/activepebbles/pebbles/internal/cpu"
)

// Scatter puts pebbles of one size into lanes, one after the other, until a lane is full: pebble i into lanes[to[i]].
// The pebbles lie side by side at from. It returns the number of pebbles put, and the full lane, or -1 if all found
// room. At the start every lane in to must have room for one pebble: a lane is emptied or replaced as soon as it is
// full.
//
// This is the hot path of every send: about 1 ns per pebble, with no call and no allocation. A run of pebbles for one
// lane at the front is copied in one piece.
type Scatter func(lanes []Lane, to []uint32, from unsafe.Pointer) (put, full int)

// ScatterOf returns the Scatter for pebbles of plain data of size bytes. Loops exist for sizes, not for types.
func ScatterOf(size int) Scatter {
	if size%4 == 0 && size/4 < len(bySize) && bySize[size/4] != nil {
		return bySize[size/4]
	}
	return func(lanes []Lane, to []uint32, from unsafe.Pointer) (put, full int) {
		return scatterBytes(lanes, to, from, size)
	}
}

// bySize has loops by the size in words of 4 bytes. Other pebbles are copied in pieces, at some 20 instructions more.
var bySize = [...]Scatter{
	1: scatter[uint32], 2: scatter[uint64], 3: scatter[[3]uint32], 4: scatter[[2]uint64], 5: scatter[[5]uint32],
	6: scatter[[3]uint64], 7: scatter[[7]uint32], 8: scatter[[4]uint64], 9: scatter[[9]uint32], 10: scatter[[5]uint64],
	11: scatter[[11]uint32], 12: scatter[[6]uint64], 13: scatter[[13]uint32], 14: scatter[[7]uint64],
	15: scatter[[15]uint32], 16: scatter[[8]uint64],
}

// scatter is Scatter for pebbles of the size of V, with any alignment.
func scatter[V any](lanes []Lane, to []uint32, from unsafe.Pointer) (put, full int) {
	vs := unsafe.Slice((*V)(from), len(to))
	if put, full = scatterRuns(lanes, to, from, int(unsafe.Sizeof(*new(V)))); full >= 0 {
		return put, full
	}
	if len(lanes) == 2 && unsafe.Sizeof(*new(V)) <= twiceMax {
		return scatterTwo(&lanes[0], &lanes[1], to, vs, put)
	}
	for ; put < len(vs); put++ {
		l := &lanes[to[put]]
		n := l.n
		*(*V)(unsafe.Add(l.base, uintptr(n)*unsafe.Sizeof(vs[0]))) = vs[put]
		n++
		l.n = n
		if n == l.capacity {
			return put + 1, int(to[put])
		}
	}
	return put, -1
}

// scatterBytes is Scatter for pebbles of any size. It copies them by pieces of 16 bytes; the last one may overlap the
// one before.
func scatterBytes(lanes []Lane, to []uint32, from unsafe.Pointer, size int) (put, full int) {
	if put, full = scatterRuns(lanes, to, from, size); full >= 0 {
		return put, full
	}
	for ; put < len(to); put++ {
		l := &lanes[to[put]]
		at, pebble := unsafe.Add(l.base, int(l.n)*size), unsafe.Add(from, put*size)
		if size < len(piece{}) || size > piecesMost {
			Move(at, pebble, size)
		} else {
			last := size - len(piece{})
			for done := 0; done < last; done += len(piece{}) {
				*(*piece)(unsafe.Add(at, done)) = *(*piece)(unsafe.Add(pebble, done))
			}
			*(*piece)(unsafe.Add(at, last)) = *(*piece)(unsafe.Add(pebble, last))
		}
		l.n++
		if l.Full() {
			return put + 1, int(to[put])
		}
	}
	return put, -1
}

// piece is a part of a pebble that one instruction copies.
type piece [16]byte

// piecesMost is the largest pebble, in bytes, that pieces copy in less time than a call.
const piecesMost = 128

// scatterRuns puts the runs at the front that are for one lane each, like Scatter. It ends before a short run.
func scatterRuns(lanes []Lane, to []uint32, from unsafe.Pointer, size int) (put, full int) {
	for put < len(to) {
		l := &lanes[to[put]]
		n := leading(to[put:][:min(len(to)-put, int(l.capacity-l.n))])
		if n < runLeast {
			break
		}
		Move(unsafe.Add(l.base, int(l.n)*size), unsafe.Add(from, put*size), n*size)
		l.n += uint32(n)
		put += n
		if l.Full() {
			return put, int(to[put-1])
		}
	}
	return put, -1
}

// runLeast is the length of a run for one lane from which copying it in one piece costs less.
const runLeast = 8

// leading returns the length of the run of equal lanes at the front. It compares eight at a time.
func leading(to []uint32) int {
	first := to[0]
	pair := uint64(first)<<32 | uint64(first)
	n := 0
	for ; n+8 <= len(to); n += 8 {
		four := (*[4]uint64)(unsafe.Pointer(&to[n]))
		if (four[0]^pair)|(four[1]^pair)|(four[2]^pair)|(four[3]^pair) != 0 {
			break
		}
	}
	for n < len(to) && to[n] == first {
		n++
	}
	return n
}

// twiceMax is the largest pebble, in bytes, for which two writes cost less than a wait.
const twiceMax = 16

// scatterTwo is scatter for two lanes, from pebble put on. With two lanes, one pebble in two goes to the same lane as
// the one before, and would wait until that lane's count is back from memory. So counts stay in registers: a pebble is
// written to both lanes, and counts in one. Runs end where the first lane is full. Words go four at a time if the
// processor can.
func scatterTwo[V any](a, b *Lane, to []uint32, vs []V, put int) (int, int) {
	for put < len(vs) {
		n := min(a.capacity-a.n, b.capacity-b.n, uint32(len(vs)-put))
		var v V
		atA := unsafe.Add(a.base, uintptr(a.n)*unsafe.Sizeof(v))
		atB := unsafe.Add(b.base, uintptr(b.n)*unsafe.Sizeof(v))
		run, rest := to[put:][:n], vs[put:][:n]
		done, inB := 0, 0
		if unsafe.Sizeof(v) == 8 {
			done, inB = cpu.Split(atA, atB, run, unsafe.Pointer(unsafe.SliceData(rest)))
		}
		inA := done - inB
		for i := done; i < len(rest); i++ {
			*(*V)(unsafe.Add(atA, uintptr(inA)*unsafe.Sizeof(v))) = rest[i]
			*(*V)(unsafe.Add(atB, uintptr(inB)*unsafe.Sizeof(v))) = rest[i]
			inB += int(run[i])
			inA = i + 1 - inB
		}
		put += int(n)
		a.n += n - uint32(inB)
		b.n += uint32(inB)
		switch {
		case a.n == a.capacity:
			return put, 0
		case b.n == b.capacity:
			return put, 1
		}
	}
	return put, -1
}
