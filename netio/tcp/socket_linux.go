package tcp

import (
	"io"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// descriptor is a socket in an epoll set. One goroutine at a time may read, and one write.
type descriptor struct {
	fd, number, set int

	into [2]unix.Iovec
	from [batchFramesMax]unix.Iovec

	mu     sync.Mutex
	wanted uint32 // events; 0 if not in the set
}

func (d *descriptor) read(first, second []byte) (got int, err error) {
	switch {
	case len(first) == 0:
		got, err = recvfrom(d.fd, second)
	case len(second) == 0:
		got, err = recvfrom(d.fd, first)
	default:
		d.into = [2]unix.Iovec{vector(first), vector(second)}
		got, err = call(unix.SYS_READV, d.fd, d.into[:])
		d.into = [2]unix.Iovec{}
	}
	if got == 0 && err == nil {
		err = io.EOF
	}
	return got, err
}

// write takes a short count to mean a full socket, without another try.
func (d *descriptor) write(pieces [][]byte) (n int, err error) {
	want := 0
	if len(pieces) == 1 {
		want = len(pieces[0])
		n, err = sendto(d.fd, pieces[0])
	} else {
		for i, b := range pieces {
			d.from[i] = vector(b)
			want += len(b)
		}
		n, err = call(unix.SYS_WRITEV, d.fd, d.from[:len(pieces)])
		clear(d.from[:len(pieces)])
	}
	if err == nil && n < want {
		err = errAgain
	}
	return n, err
}

func vector(b []byte) unix.Iovec {
	v := unix.Iovec{Base: unsafe.SliceData(b)}
	v.SetLen(len(b))
	return v
}

// call reads or writes several pieces without blocking.
func call(number uintptr, fd int, vectors []unix.Iovec) (int, error) {
	return try(number, fd, unsafe.Pointer(&vectors[0]), len(vectors), 0)
}

// recvfrom and sendto read and write one piece, at less cost.
func recvfrom(fd int, b []byte) (int, error) {
	return try(unix.SYS_RECVFROM, fd, unsafe.Pointer(&b[0]), len(b), unix.MSG_DONTWAIT)
}

func sendto(fd int, b []byte) (int, error) {
	return try(unix.SYS_SENDTO, fd, unsafe.Pointer(&b[0]), len(b), unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
}

func try(number uintptr, fd int, of unsafe.Pointer, n, flags int) (int, error) {
	for {
		n, _, errno := unix.RawSyscall6(number, uintptr(fd), uintptr(of), uintptr(n), uintptr(flags), 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		case unix.EAGAIN:
			return 0, errAgain
		default:
			return 0, errno
		}
	}
}

func (d *descriptor) endWriting() error { return unix.Shutdown(d.fd, unix.SHUT_WR) }

func (d *descriptor) wantRead(yes bool) error { return d.want(unix.EPOLLIN, yes) }

func (d *descriptor) wantWrite(yes bool) error { return d.want(unix.EPOLLOUT, yes) }

// want removes a socket from the set if no event is wanted: once broken, every look would list it.
func (d *descriptor) want(event uint32, yes bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.wanted
	d.wanted &^= event
	if yes {
		d.wanted |= event
	}
	operation := unix.EPOLL_CTL_MOD
	switch {
	case d.wanted == before:
		return nil
	case before == 0:
		operation = unix.EPOLL_CTL_ADD
	case d.wanted == 0:
		operation = unix.EPOLL_CTL_DEL
	}
	return unix.EpollCtl(d.set, operation, d.fd, &unix.EpollEvent{Events: d.wanted, Fd: int32(d.number)})
}

// close also removes the socket from the set.
func (d *descriptor) close() { unix.Close(d.fd) }
