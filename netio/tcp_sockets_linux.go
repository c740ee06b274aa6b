package netio

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// epoll is a set of sockets. The system calls that never block are raw: the scheduler need not hear of them.
//
// Go's own poller watches the gate alone. It holds the set, armed for one event at a time, and only while somebody waits:
//
//	Go's poller ─── gate ─── set ─┬─ socket
//	                  ╵ armed by  ├─ socket
//	                    wait      └─ …
type epoll struct {
	set  int
	gate *os.File
	raw  syscall.RawConn // of the gate

	arm      func(gate uintptr)      // arms the gate
	open     func(gate uintptr) bool // reports whether it is open
	disarmed error                   // what came of arm
	event    [1]unix.EpollEvent
}

func openSockets() (sockets, error) {
	set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("open an epoll set: %w", err)
	}
	e := &epoll{set: set}
	e.arm = func(gate uintptr) {
		once := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT}
		e.disarmed = unix.EpollCtl(int(gate), unix.EPOLL_CTL_MOD, set, &once)
	}
	e.open = func(gate uintptr) bool { return poll(int(gate), e.event[:]) > 0 }
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

// poll lists events that have happened, and doesn't wait for any.
func poll(epoll int, events []unix.EpollEvent) int {
	n, _, errno := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epoll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)), 0, 0, 0)
	if errno != 0 { // EINTR
		return 0
	}
	return int(n)
}

func (e *epoll) wait() error {
	err := e.raw.Control(e.arm)
	if err == nil {
		err = e.disarmed
	}
	if err == nil {
		err = e.raw.Read(e.open)
	}
	if err != nil {
		return fmt.Errorf("wait for sockets: %w", err)
	}
	return nil
}

func (e *epoll) yield() { unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

func (e *epoll) interrupt() { e.gate.Close() }

func (e *epoll) close() { unix.Close(e.set) }
