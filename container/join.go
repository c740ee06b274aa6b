package container

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/pebble"
)

// JoinKind says which rows a join gives.
type JoinKind int

const (
	// Inner gives each pair of a left and a right row with equal keys.
	Inner JoinKind = iota
	// Left is Inner, and gives left rows without a right one alone.
	Left
	// Semi gives each left row that has a right one, once and alone.
	Semi
	// Anti gives each left row that has no right one.
	Anti
)

// Join joins the rows of two tables that have equal keys, and gives the results to emit, on whichever rank they are
// found: the left row with the place of the right one, or with nil where the kind says alone. emit runs as a handler:
// it may send and add to other tables, and must not keep the place. All ranks call it.
//
// The right table should be the smaller one. If it is much smaller, all ranks get its rows, and left rows stay where
// they are; otherwise rows of both go to the rank that owns their key. Left rows with a key so frequent that its owner
// would have far more than others stay as well, and all ranks get the right rows with that key. Right rows that have no
// room in memory go to files, by parts of the keys, and then left rows too (a Grace hash join).
func Join[L, R any, K comparable](left *Table[L], right *Table[R], ofLeft func(row L) K, ofRight func(row R) K,
	kind JoinKind, emit func(l L, r *R)) error {
	if ofLeft == nil || ofRight == nil || emit == nil || kind < Inner || kind > Anti {
		return left.failed(fmt.Errorf("a join of kind %d needs functions for the keys of both rows, and for results", kind))
	}
	number, err := newHasher[K]()
	if err != nil {
		return left.failed(err)
	}
	keys := codecs.Part[K]{Name: "key"}
	if err := derive(&keys); err != nil {
		return left.failed(err)
	}
	j := newJoining(left, right, ofLeft, ofRight, kind, emit, number)
	everywhere, heavy, expected, err := j.plan(left, right, keys)
	if err != nil {
		return err
	}
	j.expect(expected)
	ranks, self := left.rank.Size(), left.rank.ID()
	owner := distribution.Hash(ranks)
	if err := right.move("join", func(row R, send func(row R, to int)) {
		k := ofRight(row)
		if !everywhere && !heavy[k] {
			send(row, owner.Owner(j.index.numberOf(k)))
			return
		}
		for rank := range ranks {
			send(row, rank)
		}
	}, j.build); err != nil {
		return err
	}
	if everywhere {
		err = left.rank.Epoch(func() error {
			left.part.batches(func(rows []L) {
				j.probe(rows)
				left.rank.Poll() // runs handlers, as what emit sends does, but none that probes
			})
			return nil
		}, pebble.Named(left.name+" join"))
	} else {
		err = left.move("join", func(row L, send func(row L, to int)) {
			k := ofLeft(row)
			if !heavy[k] {
				send(row, owner.Owner(j.index.numberOf(k)))
				return
			}
			send(row, self)
		}, j.probe)
	}
	if err != nil {
		return err
	}
	return left.rank.Epoch(func() error { // for what emit sends
		j.drain()
		return nil
	}, pebble.Named(left.name+" join of parts"))
}

// plan says whether all ranks get all right rows, or else the keys of which they get them; and how many rows a rank
// gets.
func (j *joining[L, R, K]) plan(left *Table[L], right *Table[R], keys codecs.Part[K]) (everywhere bool,
	heavy map[K]bool, expected int, err error) {
	r := left.rank
	type sizes struct{ Left, Right int64 }
	n, err := pebble.AllReduce(r, sizes{int64(left.part.len()), int64(right.part.len())}, func(a, b sizes) sizes {
		return sizes{a.Left + b.Left, a.Right + b.Right}
	})
	if err != nil || r.Size() == 1 {
		return false, nil, int(n.Right), err
	}
	// A left row that moves costs about a quarter of a right row that is added to a hash table.
	if n.Right*int64(r.Size())*4 <= n.Left && n.Right*right.part.each <= right.space.Memory/4 {
		return true, nil, int(n.Right), nil
	}
	var mine []weighed[K]
	for _, w := range left.part.sampled() {
		mine = append(mine, weighed[K]{j.ofLeft(w.Row), w.Weight})
	}
	all, err := pebble.AllGatherSlice(r, mine, weights(keys))
	if err != nil {
		return false, nil, 0, err
	}
	shares := map[K]float64{}
	for _, some := range all {
		for _, w := range some {
			shares[w.Row] += w.Weight
		}
	}
	heavy = map[K]bool{}
	for k, n2 := range shares {
		heavy[k] = n2 > float64(n.Left)/float64(r.Size())/2
	}
	return false, heavy, int(n.Right) / r.Size() / 8 * 9, nil
}

// expect makes room for so many right rows, if they may be in memory: they come without being copied again.
func (j *joining[L, R, K]) expect(rows int) {
	if j.bytes(rows) <= j.most {
		j.index.grow(j.index.lacks(rows))
		j.makeRoom(rows)
	}
}

// joining is a join on one rank, or one of a part of the keys: right rows by their keys, or both in files.
type joining[L, R any, K comparable] struct {
	*disk
	ofLeft  func(row L) K
	ofRight func(row R) K
	kind    JoinKind
	emit    func(l L, r *R)
	index   hashTable[K, uint32] // the number of the last row with a key
	rows    []numbered[R]        // from 1 on; of a capacity that is a power of two
	most    int64                // bytes of right rows and their index
	pointed int64                // bytes that right rows point to
	coded   bool                 // they may
	level   int
	lefts   partition[L]
	rights  partition[R]
	inFiles bool
	batch   keyBatch[K]
	lasts   [chunk]uint64
}

// numbered is a row, with the number of another one that has its key; 0 for none.
type numbered[R any] struct {
	Row    R
	before uint32
}

func newJoining[L, R any, K comparable](left *Table[L], right *Table[R], ofLeft func(row L) K, ofRight func(row R) K,
	kind JoinKind, emit func(l L, r *R), number hasher[K]) *joining[L, R, K] {
	j := &joining[L, R, K]{disk: right.disk, ofLeft: ofLeft, ofRight: ofRight, kind: kind, emit: emit,
		most: right.space.Memory / 4, coded: right.rows.Codec != nil}
	j.index.number = number
	j.lefts = partition[L]{disk: left.disk, codec: codecs.OrPlain(left.rows.Codec)}
	j.rights = partition[R]{disk: right.disk, codec: codecs.OrPlain(right.rows.Codec)}
	return j
}

// build adds right rows.
func (j *joining[L, R, K]) build(rows []R) {
	if !j.inFiles && j.bytes(len(rows)) > j.most && j.level < levelsMax && len(j.rows) > 0 {
		j.inFiles = true
		old := make([]R, 0, len(j.rows))
		for _, row := range j.rows[1:] {
			old = append(old, row.Row)
		}
		j.index.clear()
		j.rows, j.pointed = nil, 0
		j.build(old)
	}
	for len(rows) > 0 {
		block := rows[:min(len(rows), chunk)]
		rows = rows[len(block):]
		keys, hashes := j.batch.keys[:len(block)], j.batch.hashes[:len(block)]
		for i, row := range block {
			keys[i] = j.ofRight(row)
		}
		j.index.hashes(keys, hashes)
		if j.inFiles {
			for i, row := range block {
				j.rights.add(hashes[i], row)
			}
			continue
		}
		if slots := j.index.lacks(len(block)); slots > 0 {
			j.index.grow(slots)
		}
		j.makeRoom(len(block))
		for i, row := range block {
			if keys[i] != keys[i] {
				continue // a NaN, which joins with nothing
			}
			last, _, _ := j.index.at(keys[i], hashes[i])
			j.rows = append(j.rows, numbered[R]{row, *last})
			*last = uint32(len(j.rows) - 1)
		}
		if j.coded {
			b, err := j.rights.codec.Append(nil, block[0])
			j.check(err)
			j.pointed += int64(len(block) * len(b))
		}
	}
}

// makeRoom makes room for so many rows more.
func (j *joining[L, R, K]) makeRoom(more int) {
	if n := j.room(more); n > cap(j.rows) {
		rows := make([]numbered[R], max(1, len(j.rows)), n)
		copy(rows, j.rows)
		j.rows = rows
	}
}

// room is the capacity for so many rows more, and for the place without a number.
func (j *joining[L, R, K]) room(more int) int {
	return max(cap(j.rows), 1<<bits.Len(uint(max(1, len(j.rows))+more-1)))
}

// bytes is what so many right rows more would take, beside those that are there.
func (j *joining[L, R, K]) bytes(more int) int64 {
	rows := int64(j.room(more))
	slots := int64(max(len(j.index.slots), j.index.lacks(more)))
	return rows*int64(unsafe.Sizeof(numbered[R]{})) + slots*int64(unsafe.Sizeof(slot[K, uint32]{})) + j.pointed
}

// probe joins left rows.
func (j *joining[L, R, K]) probe(rows []L) {
	for len(rows) > 0 {
		block := rows[:min(len(rows), chunk)]
		rows = rows[len(block):]
		keys, hashes := j.batch.keys[:len(block)], j.batch.hashes[:len(block)]
		for i, row := range block {
			keys[i] = j.ofLeft(row)
		}
		j.index.hashes(keys, hashes)
		if j.inFiles {
			for i, row := range block {
				j.lefts.add(hashes[i], row)
			}
			continue
		}
		lasts := j.lasts[:len(block)]
		j.index.fetched(hashes, func(from, to int) {
			for i := from; i < to; i++ {
				lasts[i] = 0
				if at, _ := j.index.find(keys[i], hashes[i]); at != nil {
					lasts[i] = uint64(*at)
				}
			}
		})
		cpu.PrefetchEach(j.rows[:cap(j.rows)], lasts, func(some []uint64) {
			for i, last := range some {
				j.give(block[i], uint32(last))
			}
			block = block[len(some):]
		})
	}
}

// give gives what comes of a left row and the right rows with its key, of which the last one has this number.
func (j *joining[L, R, K]) give(row L, last uint32) {
	switch {
	case j.kind == Semi && last != 0, j.kind == Anti && last == 0, j.kind == Left && last == 0:
		j.emit(row, nil)
	case j.kind == Inner || j.kind == Left:
		for last != 0 {
			right := &j.rows[last]
			last = right.before
			j.emit(row, &right.Row)
		}
	}
}

// drain joins what is in files, part by part.
func (j *joining[L, R, K]) drain() {
	if !j.inFiles {
		return
	}
	j.lefts.end()
	j.rights.end()
	for part := range parts {
		of := &joining[L, R, K]{disk: j.disk, ofLeft: j.ofLeft, ofRight: j.ofRight, kind: j.kind, emit: j.emit, most: j.most,
			coded: j.coded, level: j.level + 1}
		of.index.number = j.index.number
		of.lefts = partition[L]{disk: j.lefts.disk, codec: j.lefts.codec, level: of.level}
		of.rights = partition[R]{disk: j.rights.disk, codec: j.rights.codec, level: of.level}
		j.rights.take(part, of.build)
		j.lefts.take(part, of.probe)
		of.drain()
	}
}
