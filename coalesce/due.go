package coalesce

import "time"

// Overdue finds lanes that have held pebbles for too long. It looks at each lane from time to time and stores the time
// when it first saw the lane filled, so that putting a pebble costs nothing. A lane is due between Limit and Limit plus
// the time between two looks after its oldest pebble arrived.
type Overdue struct {
	Limit time.Duration
	since []time.Duration // by lane: first time seen filled; 0 when empty
}

// NewOverdue returns an Overdue for the given number of lanes.
func NewOverdue(limit time.Duration, lanes int) *Overdue {
	return &Overdue{Limit: limit, since: make([]time.Duration, lanes)}
}

// Look records whether a lane is filled at the time now, and reports whether it is due.
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

// Left records that a lane's frame was sent: its next pebble starts a new wait.
func (d *Overdue) Left(lane int) { d.since[lane] = 0 }
