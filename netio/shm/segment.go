package shm

import (
	"log/slog"
	"os"

	"github.com/activepebbles/pebbles/internal/exposed"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// newSegment makes the segment of this process's exposed memory. The file is for those who are to map it too.
func newSegment(p netio.Place) (*exposed.Segment, *os.File, error) {
	users, room := tcp.Users(p), exposed.Room()
	file, mapped, err := newMemory(exposed.Bytes(room, users))
	for ; err != nil && room > segmentMin; room /= 2 { // where files or address space are limited
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

// segmentMin is the least room that a process has for exposed memory, in bytes.
const segmentMin = 64 << 20

// openSegment maps the segment of another process. What can't be mapped is reached over TCP.
func openSegment(file *os.File, p netio.Place, log *slog.Logger) *exposed.Segment {
	mapped, err := openMemory(file)
	if err == nil {
		var s *exposed.Segment
		if s, err = exposed.Share(mapped, unmapMemory, p.Process, tcp.Users(p)); err == nil {
			return s
		}
		unmapMemory(mapped)
	}
	log.Info("exposed memory is reached over TCP", "process", p.Process, "error", err)
	return nil
}

// share has the transport use the segments, after all have met.
func (w *Way) share(t *tcp.Transport) {
	space := t.Under(access).Space()
	space.Share(w.segment)
	for _, l := range w.links {
		if l != nil && l.segment != nil {
			space.See(l.segment)
		}
	}
}
