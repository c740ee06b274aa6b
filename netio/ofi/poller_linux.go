package ofi

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// openDescriptor takes the fabric's descriptor if it is quiet while nothing happens.
func (s *poller) openDescriptor() {
	s.w.mu.Lock()
	fd := s.w.fabric.Descriptor()
	truthful := fd >= 0 && quiet(s.w.fabric, func() { s.w.advance() })
	s.w.unlock()
	if !truthful {
		return
	}
	// An epoll set holds it, since the fabric keeps the descriptor. The set is armed for one wake-up at a time:
	// otherwise each message would wake Go's poller while ranks look for messages.
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

// quiet tests the descriptor of a fabric: one that is readable while idle would busy the poller. look looks there.
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

// watch waits until the descriptor is readable. It reports false when waiting is not allowed. Some providers do part of
// their work only during looks, so it waits at most watchMax.
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
	_ = s.raw.Read(s.waiter.ask) // fails at the deadline
	return true
}

// waiter is the memory of watch, made once to avoid garbage.
type waiter struct {
	ask    func(set uintptr) bool
	fabric int32 // descriptor
	armed  bool
	arm    unix.EpollEvent
	event  [1]unix.EpollEvent
}

// look is called before Go's poller waits, and after it has been woken.
func (w *waiter) look(set uintptr) (over bool) {
	if w.armed {
		_, _ = unix.EpollWait(int(set), w.event[:], 0) // disarms it
		return true
	}
	w.armed = true
	w.arm.Events = unix.EPOLLIN | unix.EPOLLONESHOT
	return unix.EpollCtl(int(set), unix.EPOLL_CTL_MOD, int(w.fabric), &w.arm) != nil
}

// nanosleep sleeps for times below the resolution of Go's timers.
func nanosleep(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal may end it
}

const watchMax = 10 * time.Millisecond
