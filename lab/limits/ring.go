package limits

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	slots      = 16      // in a ring: enough that neither end waits for the other at each message
	yieldEvery = 200     // polls of a word before other goroutines may use the core
	checkEvery = 1 << 12 // polls before it yields to other processes, and checks that the other end is alive
)

// counter is a word on its own pair of cache lines, since the processor fetches lines in pairs.
type counter struct {
	n atomic.Uint64
	_ [120]byte
}

// ring is the shared memory of both processes: a ring of slots in each direction. Only one process writes to a slot,
// and to a counter.
type ring struct {
	memory []byte
	bytes  int // of a slot
	alive  func() error
}

// Counters at the start of the memory: filled and emptied slots of each direction.
const (
	filled = iota
	emptied
	headerSize = 2 * 2 * int(unsafe.Sizeof(counter{}))
)

// ringEnd is one end: it sends in one direction, and receives in the other.
type ringEnd struct {
	*ring
	way       int
	sent, got uint64
}

func ringSize(bytes int) int { return headerSize + 2*slots*bytes }

// over maps the shared file.
func over(f *os.File, bytes int, alive func() error) (*ring, error) {
	memory, err := unix.Mmap(int(f.Fd()), 0, ringSize(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	return &ring{memory, bytes, alive}, nil
}

func (r *ring) close() { _ = unix.Munmap(r.memory) }

func (r *ring) counter(i int) *atomic.Uint64 {
	return &(*counter)(unsafe.Pointer(&r.memory[i*int(unsafe.Sizeof(counter{}))])).n
}

// slot returns the memory of a message of a direction.
func (r *ring) slot(way int, i uint64) []byte {
	at := headerSize + (way*slots+int(i%slots))*r.bytes
	return r.memory[at : at+r.bytes]
}

// send copies a message into the ring.
func (e *ringEnd) send(message []byte) error {
	i := e.sent
	e.sent++
	if err := e.await(e.counter(2*e.way+emptied), e.sent-min(e.sent, slots)); err != nil {
		return err
	}
	copy(e.slot(e.way, i), message)
	e.counter(2*e.way + filled).Store(e.sent)
	return nil
}

// receive copies a message out of the ring.
func (e *ringEnd) receive(message []byte) error {
	i, way := e.got, 1-e.way
	e.got++
	if err := e.await(e.counter(2*way+filled), e.got); err != nil {
		return err
	}
	copy(message, e.slot(way, i))
	e.counter(2*way + emptied).Store(e.got)
	return nil
}

// await returns when a counter has reached n, or when the other process has ended.
func (r *ring) await(c *atomic.Uint64, n uint64) error {
	for polls := 1; c.Load() < n; polls++ {
		if polls%yieldEvery == 0 {
			runtime.Gosched()
		}
		if polls%checkEvery == 0 {
			yield()
			if err := r.alive(); err != nil && c.Load() < n {
				return err
			}
		}
	}
	return nil
}

// Ring is a bare ring of slots in shared memory, between two processes. Messages are copied in and out.
func Ring(p Pair) (Report, error) {
	if err := p.check(); err != nil {
		return Report{}, err
	}
	f, err := sharedFile()
	if err != nil {
		return Report{}, err
	}
	defer f.Close()
	if err := f.Truncate(int64(ringSize(p.Bytes))); err != nil {
		return Report{}, fmt.Errorf("no shared memory of %d bytes: %w; give shorter messages", ringSize(p.Bytes), err)
	}
	other, err := p.start(nil, f)
	if err != nil {
		return Report{}, err
	}
	r, err := over(f, p.Bytes, func() error {
		if other.ended.Load() {
			return errors.New("the second process has ended")
		}
		return nil
	})
	if err != nil {
		return Report{}, other.lost(err)
	}
	defer r.close()
	report, err := p.lead("limit-ring", &ringEnd{ring: r})
	if err != nil {
		return report, other.lost(err)
	}
	return report, other.wait()
}

// AnswerRing is the second process. It gets the shared memory as its file 3.
func AnswerRing(p Pair) error {
	if err := p.check(); err != nil {
		return err
	}
	first := os.Getppid()
	f := os.NewFile(3, "limit")
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != int64(ringSize(p.Bytes)) {
		return errors.New("this is started by limit ring alone")
	}
	r, err := over(f, p.Bytes, func() error {
		if os.Getppid() != first {
			return errors.New("the first process has ended")
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer r.close()
	return p.follow(&ringEnd{ring: r, way: 1})
}
