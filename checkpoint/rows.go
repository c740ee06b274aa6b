package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// rows are elements under a distribution. Each rank saves its own.
type rows[T any] struct {
	coding[T]
	d      distribution.Indexed
	owners distribution.Batcher
	self   int
	runs   runner     // nil if the neighbours of keys are unknown
	length func() int // number of this rank's elements; nil if the distribution has it
	// at returns at least one and at most n of this rank's elements, from a local index on.
	at   func(local, n int, write bool) []T
	seen []uint64 // one bit per element of this rank; set when it has arrived
}

// runner is a distribution that returns the number of keys from one on that are neighbours at their owner.
type runner interface{ Run(key uint64) uint64 }

// Slice is the slice of elements that this rank keeps under a distribution, by their local indices. The program may
// replace the slice by another one of that length. T is plain data or a type of package target/avro.
func Slice[T any](name string, d distribution.Indexed, at *[]T) Part {
	return Part{name, &rows[T]{
		d:      d,
		length: func() int { return len(*at) },
		at:     func(local, n int, _ bool) []T { return (*at)[local : local+n] },
	}}
}

// Array is the elements of an array.
func Array[T any](name string, a *memory.Array[T]) Part {
	return Part{name, &rows[T]{
		d:  a.Distribution(),
		at: func(local, n int, _ bool) []T { return a.Local()[local : local+n] },
	}}
}

// Pages is the elements of a shared slice. The program must call Barrier of its space before Save and after Restore.
func Pages[T any](name string, v *pages.Slice[T]) Part {
	w := &rows[T]{d: v.Distribution()}
	w.at = func(local, n int, write bool) []T {
		lo := w.d.Key(w.self, local)
		hi := lo + 1
		for int(hi-lo) < n && w.d.Key(w.self, local+int(hi-lo)) == hi {
			hi++
		}
		return v.Home(frame.Access{}, lo, hi, write)
	}
	return Part{name, w}
}

func (w *rows[T]) begin(r *pebble.Rank) (_ string, err error) {
	if w.coding, err = codingOf[T](); err != nil {
		return "", err
	}
	switch {
	case w.d == nil:
		return "", errors.New("it has no distribution: give one, such as distribution.Block")
	case w.d.Ranks() != r.Size():
		return "", fmt.Errorf("its distribution is for %d ranks, the job has %d", w.d.Ranks(), r.Size())
	}
	w.self, w.owners = r.ID(), distribution.BatcherOf(w.d)
	if distribution.Proven(w.d) {
		w.runs, _ = w.d.(runner)
	}
	return fmt.Sprintf("%d elements of %s", w.d.Len(), w.of), nil
}

// local returns the number of this rank's elements.
func (w *rows[T]) local() (int, error) {
	n := w.d.LocalLen(w.self)
	if w.length != nil && w.length() != n {
		return 0, fmt.Errorf("the slice of rank %d has %d elements, and its distribution gives the rank %d", w.self,
			w.length(), n)
	}
	return n, nil
}

func (w *rows[T]) save(emit func(record) error) error {
	n, err := w.local()
	if err != nil {
		return err
	}
	var keys []uint64
	var buffer []byte
	for i := 0; i < n; {
		vs := w.at(i, min(w.most(), n-i), false)
		r := record{Count: len(vs)}
		keys = w.setKeys(&r, i, keys[:0])
		if r.Data, err = w.bytes(buffer[:0], vs); err != nil {
			return err
		}
		if w.size == 0 {
			buffer = r.Data
		}
		if err := emit(r); err != nil {
			return err
		}
		i += len(vs)
	}
	return nil
}

// setKeys describes the keys of a record whose elements this rank keeps from a local index on. keys is its scratch
// space, which it returns.
func (w *rows[T]) setKeys(r *record, local int, keys []uint64) []uint64 {
	first := w.d.Key(w.self, local)
	if w.runs != nil && w.runs.Run(first) >= uint64(r.Count) {
		r.First, r.Stride = first, 1
		return keys
	}
	for i := range r.Count {
		keys = append(keys, w.d.Key(w.self, local+i))
	}
	r.setKeys(keys)
	return keys
}

func (w *rows[T]) load(r record, send func(int, record)) error {
	vs, err := w.elements(r)
	if err != nil {
		return err
	}
	keys, owners := make([]uint64, len(vs)), make([]uint32, len(vs))
	for i := range keys {
		keys[i] = r.key(i)
	}
	if i := w.owners.Owners(keys, owners); i >= 0 {
		return fmt.Errorf("it has a key %d, and %d elements: %w", keys[i], w.d.Len(), errRecord)
	}
	all := byOwner(owners)
	for _, to := range slices.Sorted(maps.Keys(all)) {
		own := all[to]
		if len(own) == len(vs) {
			send(int(to), r)
			continue
		}
		some := record{Count: len(own)}
		mine, theirs := make([]T, len(own)), make([]uint64, len(own))
		for j, i := range own {
			mine[j], theirs[j] = vs[i], keys[i]
		}
		some.setKeys(theirs)
		if some.Data, err = w.bytes(nil, mine); err != nil {
			return err
		}
		send(int(to), some)
	}
	return nil
}

// byOwner returns the places of each owner in owners.
func byOwner(owners []uint32) map[uint32][]int {
	all := map[uint32][]int{}
	for i, owner := range owners {
		all[owner] = append(all[owner], i)
	}
	return all
}

func (w *rows[T]) take(r record) error {
	vs, err := w.elements(r)
	if err != nil {
		return err
	}
	n, err := w.local()
	if err != nil {
		return err
	}
	if w.seen == nil {
		w.seen = make([]uint64, (n+63)/64)
	}
	for i := 0; i < len(vs); {
		first := w.d.Local(r.key(i))
		run := 0
		for ; i+run < len(vs) && w.d.Local(r.key(i+run)) == first+run; run++ {
			if !w.mark(first + run) {
				return fmt.Errorf("element %d came twice: %w", r.key(i+run), errRecord)
			}
		}
		for run > 0 {
			copied := copy(w.at(first, run, true), vs[i:])
			first, i, run = first+copied, i+copied, run-copied
		}
	}
	return nil
}

// mark records that an element has arrived, and reports whether it is the first time.
func (w *rows[T]) mark(local int) bool {
	word, bit := &w.seen[local/64], uint64(1)<<(local%64)
	before := *word
	*word |= bit
	return before&bit == 0
}

func (w *rows[T]) finish() error {
	n, err := w.local()
	for _, word := range w.seen {
		n -= bits.OnesCount64(word)
	}
	w.seen = nil
	if err == nil && n > 0 {
		err = fmt.Errorf("%d elements of rank %d are missing: %w", n, w.self, errRecord)
	}
	return err
}
