package trace

import "fmt"

// Parts of the file's bound, in bytes.
const (
	packetsRoom = 4 << 10 // limit for one event with all packets before it, and for a notice
	leftRoom    = 4 << 10 // reserved for the last notice
	chunk       = 64 << 10
)

// left counts the missing events by cause.
type left struct {
	ring, file, disk, lanes uint64
}

// output is the file and its buffer.
type output struct {
	disk  disk
	path  string
	bytes int64 // limit

	buf        []byte
	pending    uint64 // events in buf
	size       int64  // of the file, without buf
	fresh      bool   // the sequence must begin
	generation uint32 // number of begins of the sequence

	left   left
	said   left  // as written to the file
	why    error // first failure
	told   bool  // it was returned
	broken bool  // the file ends with a cut packet; nothing after it can be read
}

func newOutput(to disk, path string, bytes int64) output {
	return output{disk: to, path: path, bytes: bytes, fresh: true, generation: 1}
}

// roomFor reports whether the file has room for one more event while it leaves the given bytes free.
func (o *output) roomFor(leave int64) bool {
	return o.size+int64(len(o.buf))+packetsRoom+leave <= o.bytes
}

// roomForEvent reports whether the file has room for one more event.
func (o *output) roomForEvent(frequent bool) bool {
	leave := int64(packetsRoom + leftRoom)
	if frequent {
		leave += o.bytes / 8
	}
	return o.roomFor(leave)
}

// flush writes the buffer.
func (o *output) flush() {
	if len(o.buf) == 0 {
		return
	}
	if o.broken {
		o.lose()
		return
	}
	if _, err := o.disk.Write(o.buf); err != nil {
		o.fail(err)
		return
	}
	o.size += int64(len(o.buf))
	o.buf, o.pending = o.buf[:0], 0
}

// fail drops the buffer, and restores the file so that it can continue.
func (o *output) fail(err error) {
	if o.why == nil {
		o.why = err
	}
	o.broken = o.disk.Truncate(o.size) != nil
	o.lose()
}

// lose drops the buffer. Texts that it described once must be described again.
func (o *output) lose() {
	o.left.disk += o.pending
	o.buf, o.pending = o.buf[:0], 0
	o.fresh = true
	o.generation++
	o.said = left{}
}

// tell returns the first failure, once.
func (o *output) tell() error {
	if o.why == nil || o.told {
		return nil
	}
	o.told = true
	return fmt.Errorf("write the trace: %w; the job goes on, and events are missing from %s", o.why, o.path)
}
