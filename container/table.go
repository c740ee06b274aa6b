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

// Table is a container of rows, each on the rank that added it, for data that is read from files, sorted, grouped and
// joined. Rows that have no room in memory are written to files of a scratch folder, and read back on demand. Its
// methods are for its rank's goroutine.
type Table[R any] struct {
	Elements[R]
	*mover[R]
}

// Budget is the memory for the rows of a table on a rank, and the folder for rows beyond it.
type Budget struct {
	// Memory is in bytes. 0 stands for half of the memory available when the table is made, shared among the ranks of
	// the process; or for pebble.Config.MemoryLimit, if that is less.
	Memory int64
	// Scratch is a folder on this host; "" is the system's for temporary files.
	Scratch string
}

// Spilled counts rows that had no room in memory.
type Spilled struct {
	Bytes int64 `json:"bytes"` // bytes written to files
	Runs  int   `json:"runs"`  // files
}

// NewTable makes a table, by the rules of [NewMap]. While rows move or are sorted, arriving and leaving rows share the
// memory.
func NewTable[R any](r *pebble.Rank, name string, space Budget, options ...target.Option) *Table[R] {
	w := wireOf[int, R]()
	others, err := w.take(options)
	if err == nil && space.Memory < 0 {
		err = fmt.Errorf("its rows have %d bytes of memory: give a number above 0, or 0 for the available "+
			"memory", space.Memory)
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

// memoryOf returns the default memory of a table.
func memoryOf(r *pebble.Rank) int64 {
	place := r.Place()
	memory := cpu.MemoryAvailable() / 2 / int64(place.Last-place.First)
	if limit := r.Config().MemoryLimit; limit > 0 {
		memory = min(memory, limit)
	}
	return memory
}

// Add adds a row to this rank's part. It sends nothing, and may be called anywhere on the rank's goroutine. An error of
// the scratch folder ends the job. When the job has failed, Add does not return.
func (t *Table[R]) Add(row R) { addRow(&t.part, row) }

// LocalLen returns the number of rows of this rank, at no cost.
func (t *Table[R]) LocalLen() int { return rowCount(&t.part) }

// Len returns the number of rows on all ranks. All ranks call it.
func (t *Table[R]) Len() (uint64, error) {
	return sum(t.base, rowCount(&t.part))
}

// Spilled returns the bytes and files that this rank has written to its scratch folder.
func (t *Table[R]) Spilled() Spilled { return t.disk.spilled }

// Clear removes all rows of all ranks, and frees their memory and files. All ranks call it.
func (t *Table[R]) Clear() error {
	clearRows(&t.part)
	return t.rank.Barrier()
}

// mover holds rows of all ranks that can be moved between them.
type mover[R any] struct {
	*base
	rows    codecs.Item // codec of rows
	options []target.Option
	space   Budget
	disk    *disk
	part    part[R] // of this rank
	made    int     // tables made of this one
}

// part holds the rows of one rank: some in memory, and the others in runs. With an order, each run is sorted, and the
// rows in memory are after a call of arrange.
type part[R any] struct {
	disk      *disk
	codec     codecs.Value
	most      int64 // bytes of rows in memory
	each      int64 // bytes of a row, without data that it points to
	coded     bool  // rows may point to data
	texts     bool  // rows are strings
	pointed   int64 // bytes that rows point to, by a sample
	order     order[R]
	rows      blocks[R]
	sorted    bool // rows in memory are sorted
	runs      []*runs.Run
	sample    []R // rows of runs
	iterating int // iterations in progress
	random    *rand.Rand
}

// order sorts rows in place, and compares two. Without functions, rows have no order.
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

const sampled = 64 // one row in this number is examined for data that it points to

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

// look checks for room for more rows, and for a failed job: a program may add rows for a long time, and call nothing
// else.
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

// draw appends a sample of the rows in memory.
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

// eachRow yields the rows with their numbers, in order if there is one, until yield returns false.
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

// firstOf returns the comparison of the next rows of two sources; nil for no order.
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

// batches passes all rows to do, many at a time, in order if runs must be merged.
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

// source yields the rows of a run, or those in memory.
type source[R any] struct {
	of     *part[R]
	run    *runs.Reader
	rows   []R // of the current block
	blocks [][]R
	row    R // next row
}

// rowsAhead is the prefetch distance for strings, in rows.
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
		if s.of.texts && len(s.rows) > rowsAhead { // in order, strings are scattered in memory
			next := *(*string)(unsafe.Pointer(&s.rows[rowsAhead]))
			cpu.Prefetch(unsafe.Pointer(unsafe.StringData(next)), cpu.CacheLine)
		}
		s.row, s.rows = s.rows[0], s.rows[1:]
		return true
	}
	s.row = *new(R)
	return s.of.disk.next(s.run, &s.of.codec, unsafe.Pointer(&s.row))
}

// inTurn merges n sources into one sequence: in the order of compare, if it is not nil. next returns the source of the
// next row, which the following call of next replaces by advance; -1 after the last row. Of equal rows, the row of an
// earlier source comes first.
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
		if begun && order.Len() > 0 { // replaces the row returned last
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

// changes ends the job. It is called if rows are added or removed during an iteration, which reads them in place.
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
	p.rows, p.runs, p.sample, p.pointed = blocks[R]{}, nil, nil, 0
}
