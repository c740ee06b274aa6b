package trace

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// life is a working rank: calls with handlers and waits inside, some of them nested.
type life struct {
	random *rand.Rand
	rank   int
	to     *Rank
	at     time.Duration
	want   *wanted
}

func (l *life) pass() { l.at += time.Duration(l.random.IntN(3)) * time.Microsecond } // some begin when others end

func (l *life) number() uint64 {
	if l.random.IntN(8) == 0 {
		return None
	}
	return l.random.Uint64() >> l.random.IntN(64)
}

// do records an event of a kind with others inside.
func (l *life) do(kind Kind, inside ...Kind) {
	e := event{kind: kind, begin: l.at, name: Name(l.random.Uint32N(50)), a: l.number(), b: l.number()}
	l.pass()
	for len(inside) > 0 && l.random.IntN(9) < 5 {
		l.do(inside[l.random.IntN(len(inside))], inside[1:]...)
		l.pass()
	}
	e.end = l.at
	if kind == Flush || kind == Other {
		e.instant, e.begin = true, e.end
	}
	l.want.tell(l.to, l.rank, e)
}

func (l *life) step() {
	l.do(Epoch, Wait, Handler, Handler, Task, Access, Lock, Flush, Other, Wait)
	l.pass()
	l.do(Collective, Wait)
	l.pass()
}

func TestTwin(t *testing.T) {
	random := newRandom(t)
	for range 5 {
		var want wanted
		f := create(t, configOf(0, 1, 1+random.IntN(5)))
		lives := make([]life, len(f.ranks))
		for rank := range lives {
			lives[rank] = life{random: random, rank: rank, to: f.Rank(rank), want: &want}
		}
		for range 20 {
			for rank := range lives {
				lives[rank].step()
			}
			if random.IntN(2) == 0 {
				require.NoError(t, f.Drain())
			}
		}
		want.same(t, finished(t, f))
	}
}

// TestTwinOfNonsense requires that tracks are in order for any times of callers, and that the trace shows the recorded
// events, except for times before zero and ends before begins.
func TestTwinOfNonsense(t *testing.T) {
	random := newRandom(t)
	for range 20 {
		f := create(t, configOf(0, 1, 1))
		told := map[uint64]event{}
		for i := range uint64(1 + random.IntN(300)) {
			e := event{kind: Kind(random.IntN(int(kinds))), a: i, instant: random.IntN(4) == 0}
			e.begin = time.Duration(random.IntN(2000) - 100)
			e.end = e.begin + time.Duration(random.IntN(50)-10)
			told[i] = e
			if e.instant {
				f.Rank(0).Instant(e.kind, 1, e.begin, e.a, None)
			} else {
				f.Rank(0).Slice(e.kind, 1, e.begin, e.end, e.a, None)
			}
		}
		p := finished(t, f)
		for _, s := range p.events {
			a := s.numbers[kindNumbers[slices.Index(kindNames, s.kind)][0]]
			e, ok := told[a]
			require.True(t, ok, "an event is shown twice")
			delete(told, a)
			require.Equal(t, kindNames[e.kind], s.kind)
			require.Equal(t, e.instant, s.instant)
			require.Equal(t, zero+uint64(e.begin), s.begin)
			if !e.instant {
				require.Equal(t, zero+uint64(max(e.begin, e.end)), s.end)
			}
		}
		missing := uint64(0)
		for _, s := range p.said {
			if s.name == "events left out" {
				missing = s.numbers["no lane was free"]
			}
		}
		require.Equal(t, missing, uint64(len(told)))
	}
}

// TestLanes requires that nested slices are on lanes below each other, and consecutive slices on one.
func TestLanes(t *testing.T) {
	f := create(t, configOf(0, 1, 1))
	for depth := range time.Duration(lanesMost + 2) {
		f.Rank(0).Slice(Lock, 1, 100-depth, 100+depth, uint64(depth), None)
	}
	f.Rank(0).Slice(Lock, 1, 1000, 1001, 99, None)
	p := finished(t, f)
	require.Len(t, p.events, lanesMost+1)
	require.Equal(t, uint64(2), p.said[1].numbers["no lane was free"])
	lanes := 0
	for _, track := range p.tracks {
		if track.description.text("name") == "locks" {
			lanes++
		}
	}
	require.Equal(t, lanesMost, lanes)
}
