package command

import (
	"fmt"
	"math"
	"time"

	"github.com/activepebbles/pebbles/internal/watch/page"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// sighting is the state of a job at one moment. Its texts are escaped.
type sighting struct {
	title   string
	verdict string
	status  string // status of the application; "" for none
	job     string // distinguishes the job from others
	began   time.Time
	now     page.Point
	ranks   []rankRow
	links   []linkRow
}

// rankRow is a rank, or a range of ranks in a large job.
type rankRow struct {
	first, last int // the ranks are first to last-1
	doing       string
	still       float64 // seconds
	waits       bool    // it has stood still for long, and has not ended
	handled     uint64
	held        int64 // bytes; -1 if unknown
	seconds     state.Seconds
	rate        float64 // recent rate of handled pebbles per second; NaN if not known yet
	shares      shares
}

// shares are recent parts of the time of a rank.
type shares struct{ compute, handle, credit, idle float64 }

// linkRow is a link.
type linkRow struct {
	state.Held
	target string // escaped
}

// waitsLeast is the time without progress after which a rank is marked, in seconds.
const waitsLeast = 3

// ofView returns a sighting of a large job.
func ofView(v *page.View) *sighting {
	s := sightingOf(v)
	for _, strip := range v.Strips {
		row := rankRow{first: strip.First, last: strip.Last, still: strip.Still, handled: strip.Handled, held: -1,
			waits: strip.Still >= waitsLeast && v.Grade != page.Ended, seconds: strip.Seconds}
		for _, w := range v.Worst {
			if w.Rank >= strip.First && w.Rank < strip.Last && row.doing == "" {
				row.doing = escaped(fmt.Sprintf("rank %d %s", w.Rank, w.Doing))
			}
		}
		s.ranks = append(s.ranks, row)
	}
	for _, l := range v.Fullest {
		s.links = append(s.links, linkRow{l, escaped(l.Target)})
	}
	return s
}

// ofJob returns a sighting of a job with its whole state, and the conclusions of its view.
func ofJob(v *page.View, j *state.Job) *sighting {
	s := sightingOf(v)
	for i := range j.Processes {
		for k := range j.Processes[i].Ranks {
			r := &j.Processes[i].Ranks[k]
			s.ranks = append(s.ranks, rankRow{first: r.Rank, last: r.Rank + 1, doing: escaped(r.Place()), still: r.StillSeconds,
				waits: r.StillSeconds >= waitsLeast && r.Doing != state.Ended, handled: r.Counters.PebblesHandled,
				held: r.Memory.Held, seconds: r.Seconds})
			for _, l := range r.Links {
				s.links = append(s.links, linkRow{state.Held{From: r.Rank, Link: l}, escaped(l.Target)})
			}
		}
	}
	return s
}

func sightingOf(v *page.View) *sighting {
	processes := 0
	for _, p := range v.Processes {
		processes = max(processes, p.Last)
	}
	name := v.Program
	if v.ID != "" {
		name += " " + v.ID
	}
	s := &sighting{
		title: escaped(fmt.Sprintf("%s, %s in %s, over %s, for %s", name, Plural(v.Ranks, "rank", "ranks"),
			Plural(processes, "process", "processes"), v.Transport, spanText(v.Taken.Sub(v.Started).Seconds()))),
		verdict: escaped(v.Verdict), job: name, began: v.Started, now: v.Now,
	}
	if v.Status.Text != "" {
		s.status = escaped(fmt.Sprintf("rank %d says: %s", v.Status.Rank, v.Status.Text))
	}
	return s
}

// follows reports whether a sighting is a later one of the same job.
func (s *sighting) follows(t *sighting) bool {
	return s.job == t.job && s.began.Equal(t.began) && len(s.ranks) == len(t.ranks) && s.now.At.After(t.now.At)
}

// since computes the changes since an earlier sighting, or since the begin of the job if that is nil.
func (s *sighting) since(t *sighting) {
	for i := range s.ranks {
		r := &s.ranks[i]
		r.rate = math.NaN()
		var before state.Seconds
		if t != nil && t.ranks[i].first == r.first {
			r.rate = perSecond(r.handled, t.ranks[i].handled, s.now.At.Sub(t.now.At))
			before = t.ranks[i].seconds
		}
		r.shares = parts(r.seconds, before)
	}
}

// parts returns the parts of the time between two moments. Without samples they are NaN.
func parts(now, before state.Seconds) shares {
	compute, handle := now.Compute-before.Compute, now.Handle-before.Handle
	credit, idle := now.Credit-before.Credit, now.Idle-before.Idle
	all := compute + handle + credit + idle + now.Served - before.Served
	if all <= 0 {
		all = math.NaN()
	}
	return shares{compute / all, handle / all, credit / all, idle / all}
}

// perSecond returns the rate of a counter, or NaN if it has fallen, like that of another job.
func perSecond(now, before uint64, in time.Duration) float64 {
	if now < before || in <= 0 {
		return math.NaN()
	}
	return float64(now-before) / in.Seconds()
}

// totals returns a line of sums over all ranks, with their rates since an earlier sighting.
func (s *sighting) totals(t *sighting) string {
	pebbles, bytes := math.NaN(), math.NaN()
	if t != nil {
		in := s.now.At.Sub(t.now.At)
		pebbles, bytes = perSecond(s.now.Handled, t.now.Handled, in), perSecond(s.now.Bytes, t.now.Bytes, in)
	}
	return fmt.Sprintf("%s pebbles handled, %s/s; %s sent, %s/s; %s held of %s", short(float64(s.now.Handled)),
		rateText(pebbles), BytesText(int64(min(s.now.Bytes, math.MaxInt64))), bytesRateText(bytes), BytesText(s.now.Held),
		BytesText(s.now.Bound))
}
