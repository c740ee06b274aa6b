package container

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/pebble"
)

// JoinKind selects the rows of a join's result.
type JoinKind int

const (
	// Inner yields each pair of a left and a right row with equal keys.
	Inner JoinKind = iota
	// Left is Inner, and yields left rows without a right one alone.
	Left
	// Semi yields each left row that has a right one, once and alone.
	Semi
	// Anti yields each left row that has no right one.
	Anti
)

// Join joins the rows of two tables that have equal keys, and passes the results to emit on any rank: the left row with
// the address of the right one, or with nil for a left row alone. emit runs as a handler. It may send and add to other
// tables, and must not keep the address. All ranks call it.
//
// The right table should be the smaller one. If it is much smaller, all ranks get its rows, and left rows stay in
// place; otherwise rows of both go to the rank that owns their key. A key may be so frequent that its owner would have
// far more rows than other ranks. Left rows with such a key stay as well, and all ranks get the right rows with that
// key. Right rows that have no room in memory go to files, by parts of the keys, and then left rows too (a Grace hash
// join).
func Join[L, R any, K comparable](left *Table[L], right *Table[R], ofLeft func(row L) K, ofRight func(row R) K,
	kind JoinKind, emit func(l L, r *R)) error {
	if ofLeft == nil || ofRight == nil || emit == nil || kind < Inner || kind > Anti {
		return failed(left.base,
			fmt.Errorf("a join of kind %d needs functions for the keys of both rows, and for results", kind))
	}
	number, err := newHasher(reflect.TypeFor[K]())
	if err != nil {
		return failed(left.base, err)
	}
	keys := codecs.NewItem[K]("key")
	if err := derive(&keys); err != nil {
		return failed(left.base, err)
	}
	j := newJoining(left, right, ofLeft, ofRight, kind, emit, number)
	everywhere, heavy, expected, err := plan(j, left, right, keys.Value)
	if err != nil {
		return err
	}
	expect(j, expected)
	ranks, self := left.rank.Size(), left.rank.ID()
	owner := distribution.Hash(ranks)
	if err := moveRows(right.mover, "join", func(row R, send func(row R, to int)) {
		k := ofRight(row)
		if !everywhere && !heavy[k] {
			send(row, owner.Owner(numberOf(&j.index, k)))
			return
		}
		for rank := range ranks {
			send(row, rank)
		}
	}, func(rows []R) { build(j, rows) }); err != nil {
		return err
	}
	if everywhere {
		err = left.rank.Epoch(func() error {
			batches(&left.part, func(rows []L) {
				probe(j, rows)
				left.rank.Poll() // runs handlers, as sends of emit do, but none that probes
			})
			return nil
		}, pebble.Named(left.name+" join"))
	} else {
		err = moveRows(left.mover, "join", func(row L, send func(row L, to int)) {
			k := ofLeft(row)
			if !heavy[k] {
				send(row, owner.Owner(numberOf(&j.index, k)))
				return
			}
			send(row, self)
		}, func(rows []L) { probe(j, rows) })
	}
	if err != nil {
		return err
	}
	return left.rank.Epoch(func() error { // for sends of emit
		drain(j)
		return nil
	}, pebble.Named(left.name+" join of parts"))
}

// plan chooses the method. It reports whether all ranks get all right rows, or else the keys whose right rows all ranks
// get; and the expected number of right rows of a rank.
func plan[L, R any, K comparable](j *joining[L, R, K], left *Table[L], right *Table[R], keys codecs.Value) (
	everywhere bool, heavy map[K]bool, expected int, err error) {
	r := left.rank
	nLeft, err := sum(left.base, rowCount(&left.part))
	if err != nil {
		return false, nil, 0, err
	}
	nRight, err := sum(left.base, rowCount(&right.part))
	if err != nil || r.Size() == 1 {
		return false, nil, int(nRight), err
	}
	memory, err := pebble.AllReduce(r, right.space.Memory, pebble.Min) // hosts have more or less of it
	if err != nil {
		return false, nil, 0, err
	}
	// A left row that moves costs about a quarter of a right row that is added to a hash table.
	if int64(nRight)*int64(r.Size())*4 <= int64(nLeft) && int64(nRight)*right.part.each <= memory/4 {
		return true, nil, int(nRight), nil
	}
	var all []weighed[K]
	for _, w := range sampledRows(&left.part) {
		all = append(all, weighed[K]{j.ofLeft(w.Row), w.Weight})
	}
	if err := exchangeWeights(left.base, keys, &all); err != nil {
		return false, nil, 0, err
	}
	shares := map[K]float64{}
	for _, w := range all {
		shares[w.Row] += w.Weight
	}
	heavy = map[K]bool{}
	for k, n := range shares {
		heavy[k] = n > float64(nLeft)/float64(r.Size())/2
	}
	return false, heavy, int(nRight) / r.Size() / 8 * 9, nil
}

// expect makes room for the given number of right rows, if memory allows. The rows are then not copied again.
func expect[L, R any, K comparable](j *joining[L, R, K], rows int) {
	if bytesWith(j, rows) <= j.most {
		grow(&j.index, lacks(&j.index, rows))
		makeRoom(j, rows)
	}
}

// joining is a join on one rank, or of one part of the keys: right rows by their keys, or both sides in files.
type joining[L, R any, K comparable] struct {
	*disk
	ofLeft  func(row L) K
	ofRight func(row R) K
	kind    JoinKind
	emit    func(l L, r *R)
	index   hashTable[K, uint32] // number of the last row with a key
	rows    []numbered[R]        // from 1 on; the capacity is a power of two
	most    int64                // bytes of right rows and their index
	pointed int64                // bytes that right rows point to
	coded   bool                 // right rows may point to data
	level   int
	lefts   partition
	rights  partition
	inFiles bool
	batch   keyBatch[K]
	lasts   [chunk]uint64
}

// numbered is a row, with the number of the row before it that has the same key; 0 for none.
type numbered[R any] struct {
	Row    R
	before uint32
}

func newJoining[L, R any, K comparable](left *Table[L], right *Table[R], ofLeft func(row L) K, ofRight func(row R) K,
	kind JoinKind, emit func(l L, r *R), number hasher) *joining[L, R, K] {
	j := &joining[L, R, K]{disk: right.disk, ofLeft: ofLeft, ofRight: ofRight, kind: kind, emit: emit,
		most: right.space.Memory / 4, coded: right.rows.Coded()}
	j.index.number = number
	j.lefts = partition{disk: left.disk, codec: left.rows.OrPlain()}
	j.rights = partition{disk: right.disk, codec: right.rows.OrPlain()}
	return j
}

// build adds right rows.
func build[L, R any, K comparable](j *joining[L, R, K], rows []R) {
	if !j.inFiles && bytesWith(j, len(rows)) > j.most && j.level < levelsMax && len(j.rows) > 0 {
		j.inFiles = true
		old := make([]R, 0, len(j.rows))
		for _, row := range j.rows[1:] {
			old = append(old, row.Row)
		}
		clearTable(&j.index)
		j.rows, j.pointed = nil, 0
		build(j, old)
	}
	for len(rows) > 0 {
		block := rows[:min(len(rows), chunk)]
		rows = rows[len(block):]
		keys, hashes := j.batch.keys[:len(block)], j.batch.hashes[:len(block)]
		for i, row := range block {
			keys[i] = j.ofRight(row)
		}
		hashesOf(&j.index, keys, hashes)
		if j.inFiles {
			for i := range block {
				j.rights.add(hashes[i], unsafe.Pointer(&block[i]))
			}
			continue
		}
		if slots := lacks(&j.index, len(block)); slots > 0 {
			grow(&j.index, slots)
		}
		makeRoom(j, len(block))
		for i, row := range block {
			if keys[i] != keys[i] {
				continue // a NaN, which joins with nothing
			}
			if len(j.rows) > math.MaxUint32 {
				j.fail(errors.New("a rank has 2^32 right rows in a join: give the job more ranks, or the table a smaller budget"))
			}
			last, _, _ := entryAt(&j.index, keys[i], hashes[i])
			j.rows = append(j.rows, numbered[R]{row, *last})
			*last = uint32(len(j.rows) - 1)
		}
		if j.coded {
			j.pointed += int64(len(block)) * j.bytes(&j.rights.codec, unsafe.Pointer(&block[0]))
		}
	}
}

// makeRoom makes room for the given number of further rows.
func makeRoom[L, R any, K comparable](j *joining[L, R, K], more int) {
	if n := roomFor(j, more); n > cap(j.rows) {
		rows := make([]numbered[R], max(1, len(j.rows)), n)
		copy(rows, j.rows)
		j.rows = rows
	}
}

// roomFor returns the capacity for the given number of further rows, and for the unused row 0.
func roomFor[L, R any, K comparable](j *joining[L, R, K], more int) int {
	return max(cap(j.rows), 1<<bits.Len(uint(max(1, len(j.rows))+more-1)))
}

// bytesWith returns the bytes of right rows with the given number of further rows.
func bytesWith[L, R any, K comparable](j *joining[L, R, K], more int) int64 {
	rows := int64(roomFor(j, more))
	slots := int64(max(len(j.index.slots), lacks(&j.index, more)))
	return rows*int64(unsafe.Sizeof(numbered[R]{})) + slots*slotBytes[K, uint32]() + j.pointed
}

// probe joins left rows.
func probe[L, R any, K comparable](j *joining[L, R, K], rows []L) {
	for len(rows) > 0 {
		block := rows[:min(len(rows), chunk)]
		rows = rows[len(block):]
		keys, hashes := j.batch.keys[:len(block)], j.batch.hashes[:len(block)]
		for i, row := range block {
			keys[i] = j.ofLeft(row)
		}
		hashesOf(&j.index, keys, hashes)
		if j.inFiles {
			for i := range block {
				j.lefts.add(hashes[i], unsafe.Pointer(&block[i]))
			}
			continue
		}
		lasts := j.lasts[:len(block)]
		fetched(&j.index, hashes, func(from, to int) {
			for i := from; i < to; i++ {
				lasts[i] = 0
				if at, _ := find(&j.index, keys[i], hashes[i]); at != nil {
					lasts[i] = uint64(*at)
				}
			}
		})
		cpu.PrefetchEach(j.rows[:cap(j.rows)], lasts, func(some []uint64) {
			for i, last := range some {
				give(j, block[i], uint32(last))
			}
			block = block[len(some):]
		})
	}
}

// give emits the results for a left row and the right rows with its key. last is the number of the last of these.
func give[L, R any, K comparable](j *joining[L, R, K], row L, last uint32) {
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

// drain joins the rows in files, part by part.
func drain[L, R any, K comparable](j *joining[L, R, K]) {
	if !j.inFiles {
		return
	}
	j.lefts.end()
	j.rights.end()
	for part := range parts {
		of := &joining[L, R, K]{disk: j.disk, ofLeft: j.ofLeft, ofRight: j.ofRight, kind: j.kind, emit: j.emit, most: j.most,
			coded: j.coded, level: j.level + 1}
		of.index.number = j.index.number
		of.lefts = partition{disk: j.lefts.disk, codec: j.lefts.codec, level: of.level}
		of.rights = partition{disk: j.rights.disk, codec: j.rights.codec, level: of.level}
		take(&j.rights, part, func(rows []R) { build(of, rows) })
		take(&j.lefts, part, func(rows []L) { probe(of, rows) })
		drain(of)
	}
}
