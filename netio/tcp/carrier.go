package tcp

import (
	"errors"
	"net"
)

// carrier moves a stream's bytes. There are two: of a connection that goroutines block on, and of a socket that is
// polled.
type carrier interface {
	// read fills first, and then second, with what has come: one byte at least, or an error. It may leave second alone.
	read(first, second []byte) (int, error)
	// write writes the pieces, or fewer bytes and an error. They may be changed.
	write(pieces [][]byte) (int, error)
	// endWriting tells the peer that nothing follows, and leaves the other direction open: closing at once could
	// destroy what is still on its way to the peer.
	endWriting() error
}

// errAgain says that a socket has no more to read, or no room to write, at the moment.
var errAgain = errors.New("the socket is not ready")

// socket is a carrier whose calls never block. It belongs to a set, which tells when it is ready for what is wanted.
type socket interface {
	carrier
	wantRead(bool) error
	wantWrite(bool) error
	close()
}

// sockets is the set of all sockets of a process, by number. Any goroutine may look, any number of them at the same
// time.
type sockets interface {
	// adopt puts a connection into the set, and closes what Go knows of it: its poller would wake a thread whenever
	// something arrives, even while ranks look by themselves. It returns nil for a connection that is no kernel's.
	adopt(conn net.Conn, number int) (socket, error)
	// ready lists sockets that are ready for what is wanted of them, again and again until that has been done.
	ready(into []readiness) int
	// wait blocks until something arrives or has arrived. It is for one goroutine, and fails when it is interrupted.
	wait() error
	// interrupt ends wait for good; close comes last.
	interrupt()
	close()
}

// readiness is what a socket can do without blocking.
type readiness struct {
	number      int
	read, write bool
}
