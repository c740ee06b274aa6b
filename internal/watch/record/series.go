package record

import "math"

// pointsMost bounds the points of a series.
const pointsMost = 256

// timeMost bounds the times of a damaged record, in seconds.
const timeMost = 1e12

// The measures of a bucket: sums, and from heldMost on maxima.
const (
	handledSum = iota
	bytesSum
	computeSum
	handleSum
	creditSum
	idleSum
	heldMost
	residentMost
	boundMost
	measures
)

type bucket [measures]float64

// series holds measures over time, in at most pointsMost buckets of equal width. The width doubles as time passes.
type series struct {
	width   float64 // seconds; a power of two
	buckets []bucket
	last    float64 // latest time
}

func newSeries() *series { return &series{width: 1} }

// at returns the bucket of a time, in seconds since the start. A bucket includes its end, where its lines are.
func (s *series) at(t float64) *bucket {
	if !(t > 0) {
		t = 0
	}
	t = min(t, timeMost)
	for t > s.width*pointsMost {
		s.coarsen()
	}
	i := max(int(math.Ceil(t/s.width))-1, 0)
	for len(s.buckets) <= i {
		s.buckets = append(s.buckets, bucket{})
	}
	s.last = max(s.last, t)
	return &s.buckets[i]
}

func (s *series) coarsen() {
	s.width *= 2
	half := make([]bucket, (len(s.buckets)+1)/2)
	for i, b := range s.buckets {
		for m, v := range b {
			if m < heldMost {
				half[i/2][m] += v
			} else {
				half[i/2][m] = max(half[i/2][m], v)
			}
		}
	}
	s.buckets = half
}

// spread adds to the sums, evenly over a span of time.
func (s *series) spread(from, to float64, add *[heldMost]float64) {
	if !(to > 0) {
		to = 0
	}
	to = min(to, timeMost)
	from = min(max(from, 0), to)
	s.at(to)
	for i := int(from / s.width); i < len(s.buckets); i++ {
		begin := float64(i) * s.width
		if begin > to {
			break
		}
		part := 1.0
		if to > from {
			part = (math.Min(to, begin+s.width) - math.Max(from, begin)) / (to - from)
		}
		for m, v := range add {
			s.buckets[i][m] += v * part
		}
		if to == from {
			break
		}
	}
}

// fill copies the maxima of a process to later buckets without a line.
func (s *series) fill() {
	var last bucket
	for i := range s.buckets {
		b := &s.buckets[i]
		if b[residentMost] == 0 && b[heldMost] == 0 && b[boundMost] == 0 {
			copy(b[heldMost:], last[heldMost:])
		}
		last = *b
	}
}

// add adds the series of one process.
func (s *series) add(other *series) {
	for s.width < other.width {
		s.coarsen()
	}
	for other.width < s.width {
		other.coarsen()
	}
	s.at(other.last)
	for i, b := range other.buckets {
		all := s.at(min((float64(i)+0.5)*s.width, other.last))
		for m, v := range b {
			all[m] += v
		}
	}
}

// points returns the series as rates. The last bucket ends with the last line.
func (s *series) points() []Point {
	var all []Point
	for i, b := range s.buckets {
		at := float64(i) * s.width
		width := s.width
		if s.last > at {
			width = min(width, s.last-at)
		}
		all = append(all, Point{
			At: at, Width: width,
			Handled: b[handledSum] / width, Bytes: b[bytesSum] / width,
			Compute: b[computeSum] / width, Handle: b[handleSum] / width,
			Credit: b[creditSum] / width, Idle: b[idleSum] / width,
			Held: b[heldMost], Bound: b[boundMost], Resident: b[residentMost],
		})
	}
	return all
}
