package container

import (
	"fmt"
	"io"

	"github.com/activepebbles/pebbles/container/internal/runs"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/pebble"
)

// disk is where a table writes what has no room in memory. Its errors end the job.
type disk struct {
	folder  string
	fail    func(err error)
	alive   func() // leaves the program's code when the job has failed
	spilled Spilled
}

func newDisk(r *pebble.Rank, name, folder string) *disk {
	e := engine.RankOf(r)
	return &disk{folder: folder, alive: e.Check, fail: func(err error) {
		e.Fail(fmt.Errorf("container: rank %d: %s: %w", r.ID(), name, err))
	}}
}

func (d *disk) check(err error) {
	if err != nil {
		d.fail(err)
	}
}

func (d *disk) newRun() *runs.Run {
	run, err := runs.New(d.folder)
	d.check(err)
	d.spilled.Runs++
	return run
}

// ended comes when a run has been written.
func (d *disk) ended(run *runs.Run) {
	d.check(run.Flush())
	d.spilled.Bytes += run.Bytes()
}

func write[T any](d *disk, run *runs.Run, codec codecs.Codec[T], v T) {
	d.check(run.Append(func(dst []byte) ([]byte, error) { return codec.Append(dst, v) }))
}

// next reads a value; ok is false behind the last one.
func next[T any](d *disk, from *runs.Reader, codec codecs.Codec[T]) (v T, ok bool) {
	record, err := from.Next()
	if err == io.EOF {
		return v, false
	}
	d.check(err)
	v, err = codec.Decode(record)
	d.check(err)
	return v, true
}

const (
	partBits  = 4 // of a hash, which tell the parts of a level
	parts     = 1 << partBits
	levelsMax = 6 // from where on values that have no room are kept all the same: their hashes are the same
)

// partition is values in files, by parts of the hashes of their keys. What has no room in one part either is
// partitioned again, at the next level.
type partition[T any] struct {
	*disk
	codec codecs.Codec[T]
	level int
	runs  [parts]*runs.Run
}

func (p *partition[T]) add(hash uint64, v T) {
	run := &p.runs[hash>>(64-partBits*(p.level+1))%parts]
	if *run == nil {
		*run = p.newRun()
	}
	write(p.disk, *run, p.codec, v)
}

// end comes when all have been added.
func (p *partition[T]) end() {
	for _, run := range p.runs {
		if run != nil {
			p.ended(run)
		}
	}
}

// take calls do with the values of a part, in blocks that are gone when it returns, and gives the file back.
func (p *partition[T]) take(part int, do func(vs []T)) {
	run := p.runs[part]
	if run == nil {
		return
	}
	from, block := run.Reader(), make([]T, 0, chunk)
	for v, ok := next(p.disk, from, p.codec); ok; v, ok = next(p.disk, from, p.codec) {
		if block = append(block, v); len(block) == chunk {
			do(block)
			block = block[:0]
		}
	}
	do(block)
	p.runs[part] = nil
	p.check(run.Close())
}
