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

// disk holds the part of a table that has no room in memory. Its errors end the job.
type disk struct {
	folder  string
	fail    func(err error)
	alive   func() // unwinds the stack if the job has failed
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

// ended completes a run after its last record.
func (d *disk) ended(run *runs.Run) {
	d.check(run.Flush())
	d.spilled.Bytes += run.Bytes()
}

// write writes a value. at must not point to the caller's stack: the value would then be allocated.
func (d *disk) write(run *runs.Run, codec *codecs.Value, at unsafe.Pointer) {
	d.check(run.Append(func(dst []byte) ([]byte, error) { return codec.Append(dst, at) }))
}

// bytes returns the encoded size of a value.
func (d *disk) bytes(codec *codecs.Value, at unsafe.Pointer) int64 {
	b, err := codec.Append(nil, at)
	d.check(err)
	return int64(len(b))
}

// next reads a value into zeroed memory. It returns false after the last one.
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
	partBits  = 4 // of a hash: number of the part at one level
	parts     = 1 << partBits
	levelsMax = 6 // deepest level; values beyond stay in memory in any case, since their hashes are equal
)

// partition holds values in files, by parts of the hashes of their keys. A part that has no room either is partitioned
// again, at the next level.
type partition struct {
	*disk
	codec codecs.Value
	level int
	runs  [parts]*runs.Run
}

// add adds a value, by the rules of write.
func (p *partition) add(hash uint64, at unsafe.Pointer) {
	run := &p.runs[hash>>(64-partBits*(p.level+1))%parts]
	if *run == nil {
		*run = p.newRun()
	}
	p.write(*run, &p.codec, at)
}

// end completes the files after the last add.
func (p *partition) end() {
	for _, run := range p.runs {
		if run != nil {
			p.ended(run)
		}
	}
}

// take calls do with the values of a part, in blocks that are valid until do returns, and then removes the file.
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
