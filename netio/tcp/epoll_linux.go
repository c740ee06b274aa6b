package tcp

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoll is a set of sockets. The system calls that never block are raw, without the scheduler.
//
// Go's own poller watches the gate alone. The gate holds the set, armed for one event at a time, and only during a
// wait:
//
//	Go's poller ─── gate ─── set ─┬─ socket
//	                  ╵ armed by  ├─ socket
//	                    wait      └─ …
type epoll struct {
	set  int
	gate *os.File
	raw  syscall.RawConn // of the gate

	waiter waiter
}

// waiter is the memory of wait, which is made once to avoid garbage.
type waiter struct {
	arm, disarm func(gate uintptr)
	open        func(gate uintptr) bool
	failed      error // of arm or disarm
	woken       bool  // open was called again: something has arrived
	passed      bool  // an event came through the gate, which has disarmed it
	event       [1]unix.EpollEvent
}

func openSockets() (sockets, error) {
	set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("open an epoll set: %w", err)
	}
	e := &epoll{set: set}
	w := &e.waiter
	modify := func(gate uintptr, events uint32) {
		w.failed = unix.EpollCtl(int(gate), unix.EPOLL_CTL_MOD, set, &unix.EpollEvent{Events: events})
	}
	w.arm = func(gate uintptr) { modify(gate, unix.EPOLLIN|unix.EPOLLONESHOT) }
	w.disarm = func(gate uintptr) { modify(gate, unix.EPOLLONESHOT) }
	w.open = w.ask
	if err = e.openGate(); err != nil {
		unix.Close(set)
		return nil, fmt.Errorf("open an epoll set: %w", err)
	}
	return e, nil
}

func (e *epoll) openGate() error {
	gate, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	if err = unix.SetNonblock(gate, true); err != nil { // so that Go's poller takes it
		unix.Close(gate)
		return err
	}
	e.gate = os.NewFile(uintptr(gate), "epoll")
	e.raw, err = e.gate.SyscallConn()
	if err == nil {
		err = unix.EpollCtl(gate, unix.EPOLL_CTL_ADD, e.set, &unix.EpollEvent{Events: unix.EPOLLONESHOT})
	}
	if err != nil {
		e.gate.Close()
	}
	return err
}

func (e *epoll) adopt(conn net.Conn, number int) (socket, error) {
	known, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, nil
	}
	raw, err := known.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd := -1
	control := func(of uintptr) { fd, err = unix.FcntlInt(of, unix.F_DUPFD_CLOEXEC, 0) }
	if failed := raw.Control(control); failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, fmt.Errorf("take over a connection: %w", err)
	}
	known.Close()
	return &descriptor{fd: fd, number: number, set: e.set}, nil
}

func (e *epoll) ready(into []readiness) int {
	var events [eventsMax]unix.EpollEvent
	n := poll(e.set, events[:min(len(into), eventsMax)])
	for i := range n {
		event := &events[i]
		const broken = unix.EPOLLHUP | unix.EPOLLERR
		into[i] = readiness{
			number: int(event.Fd),
			read:   event.Events&(unix.EPOLLIN|broken) != 0,
			write:  event.Events&(unix.EPOLLOUT|broken) != 0,
		}
	}
	return n
}

// poll lists events that have happened, without waiting.
func poll(epoll int, events []unix.EpollEvent) int {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epoll),
		uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	if errno != 0 { // EINTR
		return 0
	}
	return int(n)
}

// wait returns when something has arrived, even if a rank was faster and has read it.
func (e *epoll) wait() error {
	w := &e.waiter
	w.woken, w.passed = false, false
	err := e.control(w.arm)
	if err == nil {
		err = e.raw.Read(w.open)
	}
	if err == nil && !w.passed {
		err = e.control(w.disarm)
	}
	if err != nil {
		return fmt.Errorf("wait for sockets: %w", err)
	}
	return nil
}

func (e *epoll) control(f func(gate uintptr)) error {
	if err := e.raw.Control(f); err != nil {
		return err
	}
	return e.waiter.failed
}

// ask is called before Go's poller waits, and each time that it has been woken.
func (w *waiter) ask(gate uintptr) bool {
	w.passed = poll(int(gate), w.event[:]) > 0
	again := w.woken
	w.woken = true
	return w.passed || again
}

func (e *epoll) interrupt() { e.gate.Close() }

func (e *epoll) close() { unix.Close(e.set) }
