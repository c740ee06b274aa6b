package tcp

import (
	"errors"
	"net"
)

// carrier moves a stream's bytes. Its two kinds are a connection on which goroutines block, and a socket that is
// polled.
type carrier interface {
	// read fills first, and then second, with the bytes that have arrived: at least one byte, or an error. It may leave
	// second empty.
	read(first, second []byte) (int, error)
	// write writes the pieces, or fewer bytes and an error. They may be changed.
	write(pieces [][]byte) (int, error)
	// endWriting tells the peer that nothing follows, and leaves the other direction open: closing at once could
	// destroy bytes on their way to the peer.
	endWriting() error
}

// errAgain is returned if a socket has nothing to read, or no room to write, at the moment.
var errAgain = errors.New("the socket is not ready")

// socket is a carrier whose calls never block. Its set reports when it is ready.
type socket interface {
	carrier
	wantRead(bool) error
	wantWrite(bool) error
	close()
}

// sockets is the set of all sockets of a process, by number. Several goroutines may look at the same time.
type sockets interface {
	// adopt puts a connection into the set, and removes it from Go's poller, which would wake a thread for each arrival
	// even while ranks look. It returns nil for a connection that is not a kernel socket.
	adopt(conn net.Conn, number int) (socket, error)
	// ready lists sockets that are ready for a wanted operation, again and again until it has been done.
	ready(into []readiness) int
	// wait blocks until something arrives or has arrived. It is for one goroutine, and fails when interrupted.
	wait() error
	// interrupt ends wait for good; close comes last.
	interrupt()
	close()
}

// readiness lists the operations that a socket can do without blocking.
type readiness struct {
	number      int
	read, write bool
}
