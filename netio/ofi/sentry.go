package ofi

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// sentry looks while the ranks don't: while all are parked, or at work elsewhere. It waits for the fabric's descriptor, where there is one that tells the
// truth; else it naps, the longer the less there is.
type sentry struct {
	w       *Way
	parking idle.Parking
	awake   atomic.Int64  // ranks that are not parked
	looks   atomic.Uint64 // of ranks
	parks   atomic.Uint64 // of ranks
	since   time.Duration // when the next two were
	seen    uint64        // looks
	known   uint64        // parks
	nap     time.Duration
	over    atomic.Bool
	running sync.WaitGroup
	file    *os.File // the descriptor; nil when there is none
	raw     syscall.RawConn
	waiter  waiter
}

// The naps of a sentry: the first is about what a wake-up takes; with the last, 8 processes that wait take a few hundredths of a core each.
const (
	napMin = 20 * time.Microsecond
	napMax = time.Millisecond
)

func (s *sentry) init(w *Way) { s.w, s.parking = w, idle.NewParking() }

func (s *sentry) start() {
	s.awake.Store(int64(len(s.w.ports)))
	s.openDescriptor()
	s.running.Go(s.run)
}

func (s *sentry) stop() {
	s.over.Store(true)
	if s.file != nil {
		s.file.Close()
	}
	s.parking.Wake()
	s.running.Wait()
}

// relieve counts a rank's look.
func (s *sentry) relieve() { s.looks.Add(1) }

// parked says that a rank parks. The sentry looks whether others do its work.
func (s *sentry) parked() {
	s.awake.Add(-1)
	s.parks.Add(1)
	s.parking.Notify()
}

func (s *sentry) back() { s.awake.Add(1) }

func (s *sentry) run() {
	for !s.over.Load() {
		if s.relieved() {
			s.rest(idle.PollerSleep)
			continue
		}
		s.w.flush(bySentry)
		if s.w.poll(bySentry) {
			s.nap = napMin
			s.w.flush(bySentry)
			continue
		}
		if s.file != nil && s.watch() {
			continue
		}
		s.snooze()
	}
}

// relieved reports whether ranks look. What came before one has parked says nothing. What has come since counts for idle.PollerSleep, however often the
// sentry was woken meanwhile.
func (s *sentry) relieved() bool {
	looks, parks, now := s.looks.Load(), s.parks.Load(), idle.Now()
	parked := parks != s.known
	relieved := !parked && looks-s.seen >= idle.PollerLooksMin && s.awake.Load() > 0
	if relieved || parked || now-s.since >= idle.PollerSleep {
		s.seen, s.known, s.since = looks, parks, now
	}
	if parked {
		s.nap = napMin
	}
	return relieved
}

func (s *sentry) rest(d time.Duration) {
	s.parking.Announce()
	if s.parks.Load() != s.known || s.over.Load() {
		s.parking.Leave()
		return
	}
	s.parking.Sleep(d)
}

// snooze naps, for longer each time.
func (s *sentry) snooze() {
	if s.nap < napMax { // Go's timers round up to that
		doze(s.nap)
	} else {
		s.rest(napMax)
	}
	s.nap = min(2*s.nap, napMax)
}
