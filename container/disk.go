package container

import (
	"fmt"
	"io"
	"unsafe"

	"github.com/activepebbles/pebbles/container/internal/runs"
	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/internal/frame"
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
	e := r.Inside(frame.Access{})
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

// write writes a value, which lies in memory that is not the caller's stack: there it would be allocated.
func (d *disk) write(run *runs.Run, codec *codecs.Value, at unsafe.Pointer) {
	d.check(run.Append(func(dst []byte) ([]byte, error) { return codec.Append(dst, at) }))
}

// bytes is how many bytes a value has that is written.
func (d *disk) bytes(codec *codecs.Value, at unsafe.Pointer) int64 {
	b, err := codec.Append(nil, at)
	d.check(err)
	return int64(len(b))
}

// next reads a value, to where there is a zero one; it reports false behind the last one.
func (d *disk) next(from *runs.Reader, codec *codecs.Value, to unsafe.Pointer) bool {
	record, err := from.Next()
	if err == io.EOF {
		return false
	}
	d.check(err)
	d.check(codec.Decode(record, to))
	return true
}

const (
	partBits  = 4 // of a hash, which tell the parts of a level
	parts     = 1 << partBits
	levelsMax = 6 // from where on values that have no room are kept all the same: their hashes are the same
)

// partition is values in files, by parts of the hashes of their keys. What has no room in one part either is
// partitioned again, at the next level.
type partition struct {
	*disk
	codec codecs.Value
	level int
	runs  [parts]*runs.Run
}

// add adds a value, as write does.
func (p *partition) add(hash uint64, at unsafe.Pointer) {
	run := &p.runs[hash>>(64-partBits*(p.level+1))%parts]
	if *run == nil {
		*run = p.newRun()
	}
	p.write(*run, &p.codec, at)
}

// end comes when all have been added.
func (p *partition) end() {
	for _, run := range p.runs {
		if run != nil {
			p.ended(run)
		}
	}
}

// take calls do with the values of a part, in blocks that are gone when it returns, and gives the file back.
func take[T any](p *partition, part int, do func(vs []T)) {
	run := p.runs[part]
	if run == nil {
		return
	}
	from, block, n := run.Reader(), make([]T, chunk), 0
	for p.next(from, &p.codec, unsafe.Pointer(&block[n])) {
		if n++; n == chunk {
			do(block)
			clear(block)
			n = 0
		}
	}
	do(block[:n])
	p.runs[part] = nil
	p.check(run.Close())
}
