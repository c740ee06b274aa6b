package container

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"unsafe"

	"github.com/activepebbles/pebbles/container/internal/runs"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/cpu"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// Table is rows, wherever they were added: what is read from files, sorted, grouped and joined. Rows that have no room
// in memory are written to files of a scratch folder, and read back where they are needed. In its views the key of a
// row is its number on its rank. Its methods are for its rank's goroutine.
type Table[R any] struct {
	*mover[R]
	stable any // a *mover[Entry[uint64, R]] once SortStableFunc was called: the rows with their numbers over all ranks
}

// Space is how much memory the rows of a table may take on a rank, and where those go that are too many.
type Space struct {
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
func NewTable[R any](r *pebble.Rank, name string, space Space, options ...target.Option) *Table[R] {
	w, others, err := newWire[int, R](options)
	if err == nil && space.Memory < 0 {
		err = fmt.Errorf("its rows have %d bytes of memory: give a number above 0, or 0 for what is available", space.Memory)
	}
	if err != nil {
		engine.RankOf(r).Refuse(name, err.Error())
	}
	if space.Memory == 0 {
		place := r.Place()
		space.Memory = cpu.MemoryAvailable() / 2 / int64(place.Last-place.First)
		if limit := r.Config().MemoryLimit; limit > 0 {
			space.Memory = min(space.Memory, limit)
		}
	}
	codec := w.entries()
	t := &Table[R]{mover: &mover[R]{rows: w.values, options: others, space: space}}
	t.disk = newDisk(r, name, space.Scratch)
	t.View = View[int, R]{rank: r, name: name, codec: func() (codecs.Codec[Entry[int, R]], error) { return codec, nil },
		local: func(yield func(int, R) bool) { t.part.all()(yield) }}
	t.part = t.newPart(nil)
	return t
}

// Add adds a row to this rank's part. It sends nothing, and may be called anywhere on the rank's goroutine. An error of
// the scratch folder ends the job, and when the job has failed it does not return.
func (t *Table[R]) Add(row R) { t.part.add(row) }

// LocalLen is the number of rows of this rank. It costs nothing.
func (t *Table[R]) LocalLen() int { return t.part.len() }

// Len is the number of rows on all ranks. All ranks call it.
func (t *Table[R]) Len() (uint64, error) {
	return pebble.AllReduce(t.rank, uint64(t.part.len()), pebble.Sum)
}

// Spilled is what this rank has written to its scratch folder so far.
func (t *Table[R]) Spilled() Spilled { return t.disk.spilled }

// Clear removes all rows of all ranks, and gives their memory and files back. All ranks call it.
func (t *Table[R]) Clear() error {
	t.part.clear()
	return t.rank.Barrier()
}

// mover is rows of all ranks, which can be moved between them.
type mover[R any] struct {
	View[int, R]
	rows    codecs.Part[R] // how they travel
	options []target.Option
	space   Space
	disk    *disk
	part    part[R] // of this rank
	moves   *target.Target[placed[R]]
	arrive  func(rows []R) // handles rows that have come
	made    int            // tables made of this one
}

// part is rows of one rank: some in memory, and the others in runs. With an order each run is sorted, and so are the
// rows in memory once they are arranged.
type part[R any] struct {
	*disk
	codec     codecs.Codec[R]
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

func (m *mover[R]) newPart(o *order[R]) part[R] {
	p := part[R]{
		disk:  m.disk,
		codec: codecs.OrPlain(m.rows.Codec), coded: m.rows.Codec != nil,
		texts: reflect.TypeFor[R]().Kind() == reflect.String,
		each:  max(1, int64(reflect.TypeFor[R]().Size())), most: m.space.Memory / 2,
		random: rand.New(rand.NewPCG(1, uint64(m.rank.ID()))),
	}
	if o != nil {
		p.order = *o
	}
	return p
}

const sampled = 64 // one row in so many is looked at for what it points to

func (p *part[R]) add(row R) {
	if p.rows.n%sampled == 0 {
		p.look(row)
	}
	if p.iterating > 0 {
		p.changes("a row")
	}
	p.rows.add(row)
	p.sorted = false
}

// look finds out whether there is room for more rows, and a job for them: a program that adds rows may do so for long,
// and call nothing else.
func (p *part[R]) look(row R) {
	p.alive()
	if p.coded {
		b, err := p.codec.Append(nil, row)
		p.check(err)
		p.pointed += sampled * int64(len(b))
	}
	if int64(p.rows.n+sampled)*p.each+p.pointed > p.most && p.rows.n > 0 {
		p.spill()
	}
}

// spill writes the rows in memory to a run.
func (p *part[R]) spill() {
	p.arrange()
	run := p.newRun()
	p.runs = append(p.runs, run)
	for _, block := range p.rows.each() {
		for _, row := range block {
			write(p.disk, run, p.codec, row)
		}
	}
	p.ended(run)
	p.sample = p.draw(p.sample)
	p.rows.empty()
	p.pointed = 0
}

// draw appends some of the rows in memory.
func (p *part[R]) draw(to []R) []R {
	for range min(samples, p.rows.n) {
		to = append(to, p.rows.at(p.random.IntN(p.rows.n)))
	}
	return to
}

// arrange sorts the rows in memory.
func (p *part[R]) arrange() {
	if p.order.sort != nil && !p.sorted {
		p.order.sort(p.rows.one())
		p.sorted = true
	}
}

func (p *part[R]) len() int {
	n := p.rows.n
	for _, run := range p.runs {
		n += run.Len()
	}
	return n
}

// all are the rows with their numbers: in order, if there is one.
func (p *part[R]) all() iter.Seq2[int, R] {
	p.arrange()
	return func(yield func(int, R) bool) {
		p.iterating++
		defer func() { p.iterating-- }()
		sources := make([]*source[R], 0, len(p.runs)+1)
		for _, run := range p.runs {
			sources = append(sources, &source[R]{of: p, run: run.Reader()})
		}
		sources = append(sources, &source[R]{of: p, blocks: p.rows.each()})
		next := p.merge(sources)
		for i := 0; ; i++ {
			if row, ok := next(); !ok || !yield(i, row) {
				return
			}
		}
	}
}

// batches hands out all rows, many at a time, in any order if there is none.
func (p *part[R]) batches(do func(rows []R)) {
	if len(p.runs) == 0 {
		p.arrange()
		p.iterating++
		defer func() { p.iterating-- }()
		for _, block := range p.rows.each() {
			do(block)
		}
		return
	}
	var batch []R
	for _, row := range p.all() {
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
func (s *source[R]) advance() bool {
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
	var ok bool
	s.row, ok = next(s.of.disk, s.run, s.of.codec)
	return ok
}

// merge makes one sequence of sources: in order, if there is one. Of equal rows those of an earlier source come first.
func (p *part[R]) merge(sources []*source[R]) (next func() (R, bool)) {
	if p.order.compare == nil || len(sources) == 1 {
		return func() (row R, ok bool) {
			for ; len(sources) > 0; sources = sources[1:] {
				if sources[0].advance() {
					return sources[0].row, true
				}
			}
			return row, false
		}
	}
	type head struct {
		*source[R]
		number int
	}
	heads := heap[head]{before: func(a, b head) bool {
		c := p.order.compare(a.row, b.row)
		return c < 0 || c == 0 && a.number < b.number
	}}
	for i, s := range sources {
		if s.advance() {
			heads.push(head{s, i})
		}
	}
	return func() (row R, ok bool) {
		if len(heads.elements) == 0 {
			return row, false
		}
		first := heads.elements[0]
		if row = first.row; first.advance() {
			heads.fix()
		} else {
			heads.drop()
		}
		return row, true
	}
}

// changes ends the job when rows are to come or go during an iteration, which reads them where they lie.
func (p *part[R]) changes(what string) {
	p.fail(fmt.Errorf("%s came or went while the rank iterates over the rows: add to another table", what))
}

func (p *part[R]) clear() {
	if p.iterating > 0 {
		p.changes("all rows")
	}
	for _, run := range p.runs {
		p.check(run.Close())
	}
	p.rows, p.runs, p.pointed = blocks[R]{}, nil, 0
}
