package sim

import (
	"math"
	"time"
)

// instant is a point or a span of virtual time in picoseconds, fine enough for the cost of a byte, up to 50 days.
type instant int64

const (
	nanosecond instant = 1000
	never      instant = math.MaxInt64 / 2 // leaves room to add a span
)

func instantOf(d time.Duration) instant {
	if d < 0 || d > time.Duration(never/nanosecond) {
		return never
	}
	return instant(d) * nanosecond
}

// span converts seconds.
func span(seconds float64) instant { return instant(math.Round(seconds * 1e12)) }

// duration rounds down to the nanosecond.
func (t instant) duration() time.Duration { return time.Duration(t / nanosecond) }
