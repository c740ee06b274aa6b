package limits

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	slots    = 16      // of a ring: enough that neither end waits for the other's word about each
	spins    = 200     // looks at a word before others may use the core
	patience = 1 << 12 // looks before the system may run another process, and is asked whether the other end is there
)

// counter is a word on a cache line of its own, and on the one that is fetched with it.
type counter struct {
	n atomic.Uint64
	_ [120]byte
}

// ring is memory that both processes have: a ring of slots each way. One process alone writes to a slot, and to a counter.
type ring struct {
	memory []byte
	bytes  int // of a slot
	alive  func() error
}

// counters stand at the start of the memory: filled and emptied slots of each way, and what the second process found wrong.
const (
	filled = iota
	emptied
	ways       = 2 * 2 // counters of both ways
	wrongAt    = ways
	headerSize = (ways + 1) * int(unsafe.Sizeof(counter{}))
)

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

// slot is the memory of a message of a way.
func (r *ring) slot(way int, i uint64) []byte {
	at := headerSize + (way*slots+int(i%slots))*r.bytes
	return r.memory[at : at+r.bytes]
}

// put copies message i of a way into the ring.
func (r *ring) put(way int, i uint64, message []byte) error {
	if err := r.await(r.counter(2*way+emptied), i+1-min(i+1, slots)); err != nil {
		return err
	}
	copy(r.slot(way, i), message)
	r.counter(2*way + filled).Store(i + 1)
	return nil
}

// get copies message i of a way out of the ring.
func (r *ring) get(way int, i uint64, message []byte) error {
	if err := r.await(r.counter(2*way+filled), i+1); err != nil {
		return err
	}
	copy(message, r.slot(way, i))
	r.counter(2*way + emptied).Store(i + 1)
	return nil
}

// await returns when a counter has come to n, or the other process is gone.
func (r *ring) await(c *atomic.Uint64, n uint64) error {
	for looks := 1; c.Load() < n; looks++ {
		if looks%spins == 0 {
			runtime.Gosched()
		}
		if looks%patience == 0 {
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
			return errors.New("the second process is gone")
		}
		return nil
	})
	if err != nil {
		return Report{}, other.lost(err)
	}
	defer r.close()
	report, err := p.ringFirst(r)
	if err != nil {
		return report, other.lost(err)
	}
	err = other.wait()
	report.Errors += r.counter(wrongAt).Load()
	return report, err
}

// AnswerRing is the second process, which has the shared memory as its file 3.
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
			return errors.New("the first process is gone")
		}
		return nil
	})
	if err != nil {
		return err
	}
	defer r.close()
	return p.ringSecond(r)
}

func (p Pair) ringFirst(r *ring) (report Report, err error) {
	report = Report{App: "limit-ring", Procs: 2}
	message := make([]uint64, p.Bytes/8)
	if err := p.meet(r, message); err != nil {
		return report, err
	}
	start := time.Now()
	for i := uint64(1); i <= uint64(p.Messages); i++ {
		message[0] = i
		if err := r.put(0, i, bytesOf(message)); err != nil {
			return report, err
		}
		if !p.PingPong {
			continue
		}
		if err := r.get(1, i, bytesOf(message)); err != nil {
			return report, err
		}
		if message[0] != i+1 {
			report.Errors++
		}
	}
	if p.PingPong {
		report.chased(p.Messages, p.Bytes, time.Since(start))
		return report, nil
	}
	err = r.await(r.counter(emptied), uint64(p.Messages)+1)
	report.streamed(uint64(p.Messages)*uint64(p.Bytes), time.Since(start))
	return report, err
}

// meet sends a message there and back, before the clock starts.
func (p Pair) meet(r *ring, message []uint64) error {
	if err := r.put(0, 0, bytesOf(message)); err != nil {
		return err
	}
	return r.get(1, 0, bytesOf(message))
}

func (p Pair) ringSecond(r *ring) error {
	message := make([]uint64, p.Bytes/8)
	for i := range uint64(p.Messages) + 1 {
		if err := r.get(0, i, bytesOf(message)); err != nil {
			return err
		}
		if message[0] != i {
			r.counter(wrongAt).Add(1)
		}
		if i > 0 && !p.PingPong {
			continue
		}
		message[0]++
		if err := r.put(1, i, bytesOf(message)); err != nil {
			return err
		}
	}
	return nil
}
