package ofi

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/netio/internal/idle"
)

// poller looks while the ranks do not: while all are parked, or at work elsewhere. It waits for the fabric's descriptor
// if that is reliable. Otherwise it sleeps, longer after each fruitless look.
type poller struct {
	w       *Way
	parking idle.Parking
	awake   atomic.Int64  // ranks that are not parked
	looks   atomic.Uint64 // of ranks
	parks   atomic.Uint64 // of ranks
	since   time.Duration // time of the next two values
	seen    uint64        // looks
	known   uint64        // parks
	sleep   time.Duration
	over    atomic.Bool
	running sync.WaitGroup
	file    *os.File // descriptor; nil if none is usable
	raw     syscall.RawConn
	waiter  waiter
}

// The sleeps of a poller. The first is about the time of a wake-up. With the last, 8 waiting processes take a few
// hundredths of a core each.
const (
	sleepMin = 20 * time.Microsecond
	sleepMax = time.Millisecond
)

func (s *poller) init(w *Way) { s.w, s.parking = w, idle.NewParking() }

func (s *poller) start() {
	s.awake.Store(int64(len(s.w.ports)))
	s.openDescriptor()
	s.running.Go(s.run)
}

func (s *poller) stop() {
	s.over.Store(true)
	if s.file != nil {
		s.file.Close()
	}
	s.parking.Wake()
	s.running.Wait()
}

// countLook counts a rank's look.
func (s *poller) countLook() { s.looks.Add(1) }

// parked records that a rank parks. The poller then checks whether others do its work.
func (s *poller) parked() {
	s.awake.Add(-1)
	s.parks.Add(1)
	s.parking.Notify()
}

func (s *poller) back() { s.awake.Add(1) }

func (s *poller) run() {
	for !s.over.Load() {
		if s.ranksLook() {
			s.rest(idle.PollerSleep)
			continue
		}
		s.w.flush()
		if s.w.poll() {
			s.sleep = sleepMin
			s.w.flush()
			continue
		}
		if s.file != nil && s.watch() {
			continue
		}
		s.sleepLonger()
	}
}

// ranksLook reports whether ranks look. Looks before a rank's parking do not count. Looks since then count for
// idle.PollerSleep, however often the poller was woken meanwhile.
func (s *poller) ranksLook() bool {
	looks, parks, now := s.looks.Load(), s.parks.Load(), idle.Now()
	parked := parks != s.known
	ranksLook := !parked && looks-s.seen >= idle.PollerLooksMin && s.awake.Load() > 0
	if ranksLook || parked || now-s.since >= idle.PollerSleep {
		s.seen, s.known, s.since = looks, parks, now
	}
	if parked {
		s.sleep = sleepMin
	}
	return ranksLook
}

func (s *poller) rest(d time.Duration) {
	s.parking.Announce()
	if s.parks.Load() != s.known || s.over.Load() {
		s.parking.Leave()
		return
	}
	s.parking.Sleep(d)
}

// sleepLonger sleeps, longer each time.
func (s *poller) sleepLonger() {
	if s.sleep < sleepMax { // Go's timers round up to sleepMax
		nanosleep(s.sleep)
	} else {
		s.rest(sleepMax)
	}
	s.sleep = min(2*s.sleep, sleepMax)
}
