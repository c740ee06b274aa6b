package container

import (
	"cmp"
	"container/heap"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/container/internal/runs"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Table is rows, wherever they were added: what is read from files, sorted, grouped and joined. Rows that have no room
// in memory are written to files of a scratch folder, and read back where they are needed. Its methods are for its
// rank's goroutine.
type Table[R any] struct {
	Elements[R]
	*mover[R]
}

// Budget is how much memory the rows of a table may take on a rank, and where those go that are too many.
type Budget struct {
	// Memory is in bytes. 0 is half of the memory that is available when the table is made, shared among the ranks of
	// the process; or pebble.Config.MemoryLimit, where that is less.
	Memory int64
	// Scratch is a folder on this host; "" is the system's for temporary files.
	Scratch string
}

// Spilled is what had no room in memory.
type Spilled struct {
	Bytes int64 `json:"bytes"` // written to files
	Runs  int   `json:"runs"`  // files
}

// NewTable makes a table, by the rules of [NewMap]. While rows move or are sorted, those that come and those that go
// share the memory.
func NewTable[R any](r *pebble.Rank, name string, space Budget, options ...target.Option) *Table[R] {
	w := wireOf[int, R]()
	others, err := w.take(options)
	if err == nil && space.Memory < 0 {
		err = fmt.Errorf("its rows have %d bytes of memory: give a number above 0, or 0 for what is available", space.Memory)
	}
	if err != nil {
		r.Inside(frame.Access{}).Refuse(name, err.Error())
	}
	space.Memory = cmp.Or(space.Memory, memoryOf(r))
	t := &Table[R]{mover: &mover[R]{rows: w.values, options: others, space: space}}
	t.disk = newDisk(r, name, space.Scratch)
	t.base = newBase(r, name, w.values.Value)
	t.Elements = elementsOf(t.base, func(yield func(R) bool) {
		eachRow(&t.part, func(_ int, row R) bool { return yield(row) })
	})
	t.part = newPart(t.mover, nil)
	return t
}

// memoryOf is the memory of a table for which the program gives no number.
func memoryOf(r *pebble.Rank) int64 {
	place := r.Place()
	memory := cpu.MemoryAvailable() / 2 / int64(place.Last-place.First)
	if limit := r.Config().MemoryLimit; limit > 0 {
		memory = min(memory, limit)
	}
	return memory
}

// Add adds a row to this rank's part. It sends nothing, and may be called anywhere on the rank's goroutine. An error of
// the scratch folder ends the job, and when the job has failed it does not return.
func (t *Table[R]) Add(row R) { addRow(&t.part, row) }

// LocalLen is the number of rows of this rank. It costs nothing.
func (t *Table[R]) LocalLen() int { return rowCount(&t.part) }

// Len is the number of rows on all ranks. All ranks call it.
func (t *Table[R]) Len() (uint64, error) {
	return sum(t.base, rowCount(&t.part))
}

// Spilled is what this rank has written to its scratch folder so far.
func (t *Table[R]) Spilled() Spilled { return t.disk.spilled }

// Clear removes all rows of all ranks, and gives their memory and files back. All ranks call it.
func (t *Table[R]) Clear() error {
	clearRows(&t.part)
	return t.rank.Barrier()
}

// mover is rows of all ranks, which can be moved between them.
type mover[R any] struct {
	*base
	rows    codecs.Item // how they travel
	options []target.Option
	space   Budget
	disk    *disk
	part    part[R] // of this rank
	made    int     // tables made of this one
}

// part is rows of one rank: some in memory, and the others in runs. With an order each run is sorted, and so are the
// rows in memory once they are arranged.
type part[R any] struct {
	disk      *disk
	codec     codecs.Value
	most      int64 // bytes of rows in memory
	each      int64 // bytes of a row there, without what it points to
	coded     bool  // rows may point to something
	texts     bool  // rows are strings
	pointed   int64 // bytes that they point to, as a sample says
	order     order[R]
	rows      blocks[R]
	sorted    bool // rows in memory are
	runs      []*runs.Run
	sample    []R // of runs
	iterating int // iterations that are under way
	random    *rand.Rand
}

// order sorts rows in place, and says which of two comes first. Without functions it is any order.
type order[R any] struct {
	sort    func(rows []R)
	compare func(a, b R) int
}

func newPart[R any](m *mover[R], o *order[R]) part[R] {
	p := part[R]{
		disk:  m.disk,
		codec: m.rows.OrPlain(), coded: m.rows.Coded(),
		texts: m.rows.Type.Kind() == reflect.String,
		each:  max(1, int64(m.rows.Type.Size())), most: m.space.Memory / 2,
		random: rand.New(rand.NewPCG(1, uint64(m.rank.ID()))),
	}
	if o != nil {
		p.order = *o
	}
	return p
}

const sampled = 64 // one row in so many is looked at for what it points to

func addRow[R any](p *part[R], row R) {
	if p.rows.n%sampled == 0 {
		look(p, row)
	}
	if p.iterating > 0 {
		p.disk.changes("a row")
	}
	b := &p.rows
	if len(b.last) == cap(b.last) {
		nextBlock(b)
	}
	b.last = append(b.last, row)
	b.n++
	p.sorted = false
}

// look finds out whether there is room for more rows, and a job for them: a program that adds rows may do so for long,
// and call nothing else.
func look[R any](p *part[R], row R) {
	p.disk.alive()
	if p.coded {
		p.pointed += sampled * p.disk.bytes(&p.codec, unsafe.Pointer(new(row)))
	}
	if int64(p.rows.n+sampled)*p.each+p.pointed > p.most && p.rows.n > 0 {
		spill(p)
	}
}

// spill writes the rows in memory to a run.
func spill[R any](p *part[R]) {
	arrange(p)
	run := p.disk.newRun()
	p.runs = append(p.runs, run)
	for _, block := range blocksOf(&p.rows) {
		for i := range block {
			p.disk.write(run, &p.codec, unsafe.Pointer(&block[i]))
		}
	}
	p.disk.ended(run)
	p.sample = draw(p, p.sample)
	empty(&p.rows)
	p.pointed = 0
}

// draw appends some of the rows in memory.
func draw[R any](p *part[R], to []R) []R {
	for range min(samples, p.rows.n) {
		to = append(to, rowAt(&p.rows, p.random.IntN(p.rows.n)))
	}
	return to
}

// arrange sorts the rows in memory.
func arrange[R any](p *part[R]) {
	if p.order.sort != nil && !p.sorted {
		p.order.sort(oneBlock(&p.rows))
		p.sorted = true
	}
}

func rowCount[R any](p *part[R]) int { return p.rows.n + recordsOf(p.runs) }

func recordsOf(all []*runs.Run) (n int) {
	for _, run := range all {
		n += run.Len()
	}
	return n
}

// eachRow yields the rows with their numbers, until one says no: in order, if there is one.
func eachRow[R any](p *part[R], yield func(int, R) bool) {
	p.disk.alive()
	arrange(p)
	p.iterating++
	defer func() { p.iterating-- }()
	sources := make([]*source[R], 0, len(p.runs)+1)
	for _, run := range p.runs {
		sources = append(sources, &source[R]{of: p, run: run.Reader()})
	}
	sources = append(sources, &source[R]{of: p, blocks: blocksOf(&p.rows)})
	next := inTurn(len(sources), func(i int) bool { return advance(sources[i]) }, firstOf(p, sources))
	for i := 0; ; i++ {
		if at := next(); at < 0 || !yield(i, sources[at].row) {
			return
		}
	}
}

// firstOf says which of the next rows of two sources comes first; nil for any.
func firstOf[R any](p *part[R], sources []*source[R]) func(a, b int) int {
	if p.order.compare == nil {
		return nil
	}
	return func(a, b int) int { return p.order.compare(sources[a].row, sources[b].row) }
}

// rowsOf is eachRow for a loop.
func rowsOf[R any](p *part[R]) iter.Seq2[int, R] {
	return func(yield func(int, R) bool) { eachRow(p, yield) }
}

// batches hands out all rows, many at a time, in any order if there is none.
func batches[R any](p *part[R], do func(rows []R)) {
	if len(p.runs) == 0 {
		arrange(p)
		p.iterating++
		defer func() { p.iterating-- }()
		for _, block := range blocksOf(&p.rows) {
			do(block)
		}
		return
	}
	var batch []R
	for _, row := range rowsOf(p) {
		if batch = append(batch, row); len(batch) == chunk {
			do(batch)
			batch = batch[:0]
		}
	}
	do(batch)
}

// source is the rows of a run, or those in memory.
type source[R any] struct {
	of     *part[R]
	run    *runs.Reader
	rows   []R // of the block at hand
	blocks [][]R
	row    R // the next one
}

// rowsAhead is how many rows before it is handed out a string is fetched into the cache.
const rowsAhead = 16

// advance finds the next row.
func advance[R any](s *source[R]) bool {
	if s.run == nil {
		if len(s.rows) == 0 {
			if len(s.blocks) == 0 {
				return false
			}
			s.rows, s.blocks = s.blocks[0], s.blocks[1:]
		}
		if s.of.texts && len(s.rows) > rowsAhead { // in order they lie anywhere
			next := *(*string)(unsafe.Pointer(&s.rows[rowsAhead]))
			cpu.Prefetch(unsafe.Pointer(unsafe.StringData(next)), cpu.CacheLine)
		}
		s.row, s.rows = s.rows[0], s.rows[1:]
		return true
	}
	s.row = *new(R)
	return s.of.disk.next(s.run, &s.of.codec, unsafe.Pointer(&s.row))
}

// inTurn makes one sequence of n sources: in the order of compare, if there is one. next is the source whose row is the
// next one, which its next call of advance replaces; -1 behind the last row. Of equal rows those of an earlier source
// come first.
func inTurn(n int, advance func(source int) bool, compare func(a, b int) int) (next func() int) {
	if compare == nil || n == 1 {
		at := 0
		return func() int {
			for ; at < n; at++ {
				if advance(at) {
					return at
				}
			}
			return -1
		}
	}
	order := ranking{before: func(a, b int) bool {
		c := compare(a, b)
		return c < 0 || c == 0 && a < b
	}}
	for i := range n {
		if advance(i) {
			heap.Push(&order, i)
		}
	}
	begun := false
	return func() int {
		if begun && order.Len() > 0 { // replaces the row that was handed out
			if advance(order.first()) {
				heap.Fix(&order, 0)
			} else {
				heap.Pop(&order)
			}
		}
		if begun = true; order.Len() == 0 {
			return -1
		}
		return order.first()
	}
}

// changes ends the job when rows are to come or go during an iteration, which reads them where they lie.
func (d *disk) changes(what string) {
	d.fail(fmt.Errorf("%s came or went while the rank iterates over the rows: add to another table", what))
}

func clearRows[R any](p *part[R]) {
	if p.iterating > 0 {
		p.disk.changes("all rows")
	}
	for _, run := range p.runs {
		p.disk.check(run.Close())
	}
	p.rows, p.runs, p.pointed = blocks[R]{}, nil, 0
}
