package trace

import (
	"math"
	"time"
)

// countersMost is the maximum number of names of counters in a file.
const countersMost = 256

// counterKey is a counter of a rank.
type counterKey struct {
	rank, title int
}

// counter is the track of a counter.
type counter struct {
	last int64
	told uint32 // as in lane
}

// Counter records the value of a counter of one of this process's ranks, about once a second. Its name gives the
// quantity and the unit: "pebbles/s", "bytes held". A file has at most 256 names. Further names are ignored, and so are
// NaNs and infinities. Counter is for the goroutine that calls Drain, and takes less than a microsecond.
func (f *File) Counter(rank int, name string, at time.Duration, value float64) {
	title, ok := f.titles[name]
	if !ok {
		title = len(f.titles)
	}
	if f.closed || title == countersMost || math.IsNaN(value) || math.IsInf(value, 0) ||
		!f.roomForEvent(false) {
		return
	}
	f.titles[name] = title
	key := counterKey{rank, title}
	if f.counters[key] == nil {
		f.counters[key] = new(counter)
	}
	c := f.counters[key]
	c.last = max(c.last, f.wall(at)) // the times of a track must not decrease
	f.ready()
	f.describeCounter(key, c, name)
	f.appendValue(c.last, counterTrack(rank, title), value)
}

// describeCounter describes a counter's track, and before it the rank's own track, unless that has been done.
func (f *File) describeCounter(key counterKey, c *counter, name string) {
	f.describeRank(key.rank)
	if c.told == f.generation {
		return
	}
	c.told = f.generation
	at, track := f.child(counterTrack(key.rank, key.title), key.rank, clean(name))
	b, empty := open(f.buf, trackCounter)
	f.buf = appendUint(shut(b, empty), trackPlace, uint64(kinds)+uint64(key.title)+1)
	f.shut(track)
	f.shut(at)
}

func (f *File) appendValue(time int64, track uint64, value float64) {
	at := f.packet()
	f.buf = appendUint(f.buf, packetTime, uint64(time))
	b, event := open(f.buf, packetEvent)
	b = appendUint(b, eventType, typeCounter)
	b = appendUint(b, eventTrack, track)
	f.buf = shut(appendDouble(b, eventDouble, value), event)
	f.shut(at)
}
