package shm

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"os"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// newSegment makes the segment of this process's exposed memory, and the file that other processes map.
func newSegment(p netio.Place) (*exposed.Segment, *os.File, error) {
	users, room := local.Users(p), exposed.Room()
	file, mapped, err := newMemory(exposed.Bytes(room, users))
	for ; err != nil && room > segmentMin; room /= 2 { // files or address space are limited
		file, mapped, err = newMemory(exposed.Bytes(room, users))
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := exposed.Share(mapped, unmapMemory, p.Process, users)
	if err != nil {
		unmapMemory(mapped)
		file.Close()
		return nil, nil, err
	}
	return s, file, nil
}

// segmentMin is the minimum room for the exposed memory of a process, in bytes.
const segmentMin = 64 << 20

// openSegment maps the segment of another process.
func (w *Way) openSegment(file *os.File, p netio.Place) (*exposed.Segment, error) {
	mapped, err := w.see(file)
	if err != nil {
		return nil, err
	}
	s, err := exposed.Share(mapped, unmapMemory, p.Process, local.Users(p))
	if err != nil {
		unmapMemory(mapped)
	}
	return s, err
}

// shareSegments maps the segment of the process at the other end of a connection if each end can map the other's.
// Otherwise, both ends use TCP. A process inside another one's memory marks that in its own segment, and the owner must
// see the mark before it reuses the memory. err is the connection's error.
func (w *Way) shareSegments(conn net.Conn, file *os.File, p netio.Place, log *slog.Logger) (*exposed.Segment, error) {
	s, why := w.openSegment(file, p)
	mapped := [1]byte{}
	if why == nil {
		mapped[0] = 1
	}
	if _, err := conn.Write(mapped[:]); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(conn, mapped[:]); err != nil {
		return nil, err
	}
	if why == nil && mapped[0] != 1 {
		why = errors.New("it can't map this process's")
	}
	if why != nil {
		log.Info("exposed memory is reached over TCP", "process", p.Process, "error", why)
		return nil, nil
	}
	return s, nil
}

// share makes the transport use the segments, after all processes have met.
func (w *Way) share(line way.LifeLine) {
	space := line.Space()
	space.Share(w.segment)
	for _, l := range w.peers {
		if l != nil && l.segment != nil {
			space.See(l.segment)
		}
	}
}
