package ofi

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/idle"
)

// sentry looks while the ranks don't: while all are parked, or at work elsewhere. It waits for the fabric's descriptor, where there is one that tells the
// truth; else it naps, the longer the less there is.
type sentry struct {
	w       *Way
	parking idle.Parking
	awake   atomic.Int64  // ranks that are not parked
	looks   atomic.Uint64 // of ranks
	seen    uint64        // looks, when that last changed or the last rest began
	resting bool
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

// parked says that a rank parks. When it is the last one, the sentry does the work of all.
func (s *sentry) parked() {
	if s.awake.Add(-1) == 0 {
		s.parking.Notify()
	}
}

func (s *sentry) back() { s.awake.Add(1) }

func (s *sentry) run() {
	for !s.over.Load() {
		if s.relieved() {
			s.rest()
			continue
		}
		s.w.flush()
		if s.w.poll() {
			s.nap = napMin
			s.w.flush()
			continue
		}
		if s.file == nil || !s.watch() {
			s.doze()
		}
	}
}

// relieved reports whether ranks look. What they have done since the last rest counts, however often the sentry was woken meanwhile.
func (s *sentry) relieved() bool {
	looks := s.looks.Load()
	relieved := looks-s.seen >= idle.PollerLooksMin && s.awake.Load() > 0
	if relieved || s.resting {
		s.seen = looks
	}
	s.resting = relieved
	return relieved
}

// rest sleeps while ranks look.
func (s *sentry) rest() {
	s.nap = napMin
	s.parking.Announce()
	if s.awake.Load() == 0 || s.over.Load() {
		s.parking.Leave()
		return
	}
	s.parking.Sleep(idle.PollerSleep)
}

// doze naps, for longer than the last time unless a rank has parked meanwhile.
func (s *sentry) doze() {
	s.parking.Announce()
	if s.over.Load() {
		s.parking.Leave()
		return
	}
	if s.parking.Sleep(s.nap) {
		s.nap = napMin
	} else {
		s.nap = min(2*s.nap, napMax)
	}
}
