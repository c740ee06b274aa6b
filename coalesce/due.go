package coalesce

import "time"

// Overdue tells which lanes have held pebbles for too long. It looks at lanes from time to time and remembers when it
// first saw each one filled, so that putting a pebble costs nothing: a lane is reported between Limit and Limit plus
// the time between two looks after its oldest pebble.
type Overdue struct {
	Limit time.Duration
	since []time.Duration // by lane: when it was first seen filled; 0 when it was empty
}

// NewOverdue watches the given number of lanes.
func NewOverdue(limit time.Duration, lanes int) *Overdue {
	return &Overdue{Limit: limit, since: make([]time.Duration, lanes)}
}

// Look notes that a lane is or is not filled at the time now, and tells whether it is due.
func (d *Overdue) Look(lane int, filled bool, now time.Duration) bool {
	if !filled {
		d.since[lane] = 0
		return false
	}
	if d.since[lane] == 0 {
		d.since[lane] = max(now, 1)
	}
	return now-d.since[lane] >= d.Limit
}

// Left notes that a lane was sent: its next pebble starts a new wait.
func (d *Overdue) Left(lane int) { d.since[lane] = 0 }
