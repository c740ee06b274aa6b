package lab

import (
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const handOvers = 1 << 11 // of a measurement

// ContextSwitch measures the cost of a switch of a core between two threads, in seconds: the time for two threads on
// one core to pass a byte to and fro, minus the time for one thread to pass it to itself. It returns the error of a
// failed system call.
func ContextSwitch(repeats int) (float64, error) {
	there, err := newPipe()
	if err != nil {
		return 0, err
	}
	defer there.close()
	back, err := newPipe()
	if err != nil {
		return 0, err
	}
	defer back.close()
	var apart, alone []float64
	for range repeats {
		apart = append(apart, handedOver(there, back))
		alone = append(alone, handedOver(there, there))
	}
	return max(0, median(apart)-median(alone)), nil
}

// handedOver returns the time of a byte from one pipe's end to the other, with two threads, or one for a single pipe.
func handedOver(there, back pipe) (seconds float64) {
	var both sync.WaitGroup
	if there != back {
		both.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends, and its binding with it
			bindToFirst()
			for range handOvers {
				there.wait()
				back.signal()
			}
		})
	}
	both.Go(func() {
		runtime.LockOSThread()
		bindToFirst()
		start := time.Now()
		for range handOvers {
			there.signal()
			back.wait()
		}
		seconds = time.Since(start).Seconds() / handOvers
	})
	both.Wait()
	if there != back {
		seconds /= 2
	}
	return seconds
}

// bindToFirst binds this thread to the first core that it may use, if the system permits it.
func bindToFirst() {
	if first, _, ok := twoCores(); ok {
		bind(first)
	}
}

// pipe is a pipe of the system, which blocks threads.
type pipe struct{ out, in int }

func newPipe() (pipe, error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return pipe{}, os.NewSyscallError("pipe2", err)
	}
	return pipe{ends[0], ends[1]}, nil
}

func (p pipe) signal() { p.must(unix.Write(p.in, []byte{1})) }
func (p pipe) wait()   { p.must(unix.Read(p.out, make([]byte, 1))) }

func (p pipe) must(n int, err error) {
	if n != 1 || err != nil {
		panic("lab: a pipe within this process: " + os.NewSyscallError("transfer", err).Error())
	}
}

func (p pipe) close() {
	_ = unix.Close(p.out)
	_ = unix.Close(p.in)
}
