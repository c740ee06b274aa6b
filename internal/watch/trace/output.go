package trace

import "fmt"

// Parts of the file's bound, in bytes.
const (
	packetsRoom = 4 << 10 // one event takes less, with all that comes before it, and so does a notice
	leftRoom    = 4 << 10 // is kept for the last notice
	chunk       = 64 << 10
)

// left counts events that the file does not have, by why.
type left struct {
	ring, file, disk, lanes uint64
}

// output is what goes to the disk.
type output struct {
	disk  disk
	path  string
	bytes int64 // bound

	buf        []byte
	pending    uint64 // events in buf
	size       int64  // of the file, without buf
	fresh      bool   // the sequence has to begin
	generation uint32 // counts how often it has begun

	left   left
	said   left  // as the file says
	why    error // the first failure
	told   bool  // it has been returned
	broken bool  // the file has a cut packet, behind which nothing can be read
}

func newOutput(to disk, path string, bytes int64) output {
	return output{disk: to, path: path, bytes: bytes, fresh: true, generation: 1}
}

// roomFor reports whether the file may have something more, and leave so many bytes.
func (o *output) roomFor(leave int64) bool {
	return o.size+int64(len(o.buf))+packetsRoom+leave <= o.bytes
}

// roomForEvent reports whether the file may have one more event.
func (o *output) roomForEvent(frequent bool) bool {
	leave := int64(packetsRoom + leftRoom)
	if frequent {
		leave += o.bytes / 8
	}
	return o.roomFor(leave)
}

// flush writes what has gathered.
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

// fail gives up what has gathered, and makes the file such that it can go on.
func (o *output) fail(err error) {
	if o.why == nil {
		o.why = err
	}
	o.broken = o.disk.Truncate(o.size) != nil
	o.lose()
}

// lose forgets what has gathered. What it told once has to be told again.
func (o *output) lose() {
	o.left.disk += o.pending
	o.buf, o.pending = o.buf[:0], 0
	o.fresh = true
	o.generation++
	o.said = left{}
}

// tell is the first failure, once.
func (o *output) tell() error {
	if o.why == nil || o.told {
		return nil
	}
	o.told = true
	return fmt.Errorf("write the trace: %w; the job goes on, and events are missing from %s", o.why, o.path)
}
