package ofi

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openDescriptor takes the fabric's descriptor, if it is quiet while nothing happens.
func (s *poller) openDescriptor() {
	s.w.mu.Lock()
	fd := s.w.fabric.Descriptor()
	truthful := fd >= 0 && quiet(s.w.fabric, func() { s.w.advance() })
	s.w.unlock()
	if !truthful {
		return
	}
	// A set of its own holds it: the fabric's descriptor stays the fabric's. It is armed for one wake-up each time:
	// else each message would wake Go's poller, while ranks look for messages.
	set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return
	}
	once := &unix.EpollEvent{Events: unix.EPOLLONESHOT}
	if unix.EpollCtl(set, unix.EPOLL_CTL_ADD, fd, once) != nil || unix.SetNonblock(set, true) != nil {
		unix.Close(set)
		return
	}
	file := os.NewFile(uintptr(set), "fabric")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return
	}
	s.file, s.raw = file, raw
	s.waiter.fabric = int32(fd)
	s.waiter.ask = s.waiter.look
}

// quiet tries the descriptor of a fabric: one that is readable while there is nothing to do would keep the poller busy.
// look looks at the fabric.
func quiet(f fabric, look func()) bool {
	for range 8 {
		look()
		p := []unix.PollFd{{Fd: int32(f.Descriptor()), Events: unix.POLLIN}}
		if !f.MayWait() {
			continue
		}
		if n, err := unix.Poll(p, 0); err == nil && n == 0 {
			return true
		}
	}
	return false
}

// watch waits until the descriptor is readable. It reports false when that must not be waited for. As some providers do
// part of their work only when they are looked at, it waits for no longer than watchMax.
func (s *poller) watch() bool {
	s.w.mu.Lock()
	may := !s.w.closed && s.w.fabric.MayWait()
	s.w.mu.Unlock()
	if !may {
		return false
	}
	if s.file.SetReadDeadline(time.Now().Add(watchMax)) != nil {
		return false
	}
	s.waiter.armed = false
	_ = s.raw.Read(s.waiter.ask) // which fails when the time is over
	return true
}

// waiter is the memory of watch, which is made once to avoid garbage.
type waiter struct {
	ask    func(set uintptr) bool
	fabric int32 // the descriptor
	armed  bool
	arm    unix.EpollEvent
	event  [1]unix.EpollEvent
}

// look is called before Go's poller waits, and when it has been woken.
func (w *waiter) look(set uintptr) (over bool) {
	if w.armed {
		_, _ = unix.EpollWait(int(set), w.event[:], 0) // which disarms it
		return true
	}
	w.armed = true
	w.arm.Events = unix.EPOLLIN | unix.EPOLLONESHOT
	return unix.EpollCtl(int(set), unix.EPOLL_CTL_MOD, int(w.fabric), &w.arm) != nil
}

// nanosleep sleeps for less than Go's timers can.
func nanosleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // which a signal may end
}

const watchMax = 10 * time.Millisecond
