package page

import (
	"slices"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// pointsMost bounds the points of a history: a quarter of an hour with a viewer.
const pointsMost = 900

// Point holds the values of the plots at one moment, summed over all ranks.
type Point struct {
	At       time.Time `json:"at"`
	Handled  uint64    `json:"handled"` // total pebbles
	Bytes    uint64    `json:"bytes"`   // total bytes sent
	Held     int64     `json:"held"`    // current bytes
	Bound    int64     `json:"bound"`
	Resident int64     `json:"resident"`
}

func pointOf(j *state.Job) Point {
	p := Point{At: j.Taken}
	for i := range j.Processes {
		p.Bound += j.Processes[i].Bound
		p.Resident += j.Processes[i].Resident
		for k := range j.Processes[i].Ranks {
			r := &j.Processes[i].Ranks[k]
			p.Handled += r.Counters.PebblesHandled
			p.Bytes += r.Counters.BytesSent
			p.Held += r.Memory.Held
		}
	}
	return p
}

// history holds past points. It grows while the page has a viewer, so a page that is loaded later shows the same past.
type history struct {
	mu     sync.Mutex
	points []Point // oldest first
}

// add appends a point if it is later than the last one.
func (h *history) add(p Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.points); n > 0 && !p.At.After(h.points[n-1].At) {
		return
	}
	if len(h.points) == pointsMost {
		h.points = slices.Delete(h.points, 0, 1)
	}
	h.points = append(h.points, p)
}

func (h *history) all() []Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]Point{}, h.points...)
}
