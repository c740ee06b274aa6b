package command

import (
	"context"
	"errors"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// after returns a screen that has shown a job at the given seconds.
func after(job *madeUpJob, width, height int, seconds ...int64) *screen {
	s := newScreen(noon)
	s.resize(width, height)
	for _, n := range seconds {
		s.show(noon.Add(time.Duration(n)*time.Second), job.sightingAt(n))
	}
	return s
}

// textOf returns the text on a screen, without highlights.
func textOf(s *screen) string {
	return strings.NewReplacer("\x1b[1m", "", "\x1b[m", "").Replace(strings.Join(s.lines(), "\n"))
}

func press(s *screen, keys ...string) *screen {
	for _, key := range keys {
		s.press(key)
	}
	return s
}

func TestScreenOfRanks(t *testing.T) {
	require.Equal(t, strings.TrimPrefix(`
3 ranks wait for the end of epoch "relax" (bfs.go:88); rank 0 runs the body of
it (bfs.go:131)
rank 0 says: level 7, frontier 1,000,000
bfs 3f9c2a, 4 ranks in 4 processes, over shm, for 1m12s
720k pebbles handled, 10k/s; 6.866 MiB sent, 97.66 KiB/s; 10 MiB held of 4 GiB
ranks: 4, sorted by RANK
RANK  STILL PEBBLES/S HANDLED  HELD COMP HAND CRED IDLE DOING
   0     0s        1k     72k 1 MiB  50%  25%  12%   6% runs the handler of "re…
   1 !1m12s        2k    144k 2 MiB  50%  25%  12%   6% waits for the end of ep…
   2 !1m12s        3k    216k 3 MiB  50%  25%  12%   6% waits for the end of ep…
   3 !1m12s        4k    288k 4 MiB  50%  25%  12%   6% waits for the end of ep…












q quit  r ranks  l links  < > sort  s reverse  arrows PgUp PgDn scroll  ? help`, "\n"),
		textOf(after(newMadeUpJob(4, "stalled"), 80, 24, 70, 72)))
}

func TestScreenOfLinks(t *testing.T) {
	s := press(after(newMadeUpJob(4, "running"), 80, 12, 70), "l")
	require.Equal(t, strings.TrimPrefix(`
the job makes progress: 4 ranks are in epoch "relax" (bfs.go:88)
rank 0 says: level 7, frontier 1,000,000
bfs 3f9c2a, 4 ranks in 4 processes, over shm, for 1m10s
700k pebbles handled, -/s; 6.676 MiB sent, -/s; 10 MiB held of 4 GiB
links: 1-5 of 8, sorted by BYTES
FROM TO     BYTES FLIGHT WAITING  AGE TARGET
   3  1 2.932 KiB      2       3 0.2s relax
   3  2 2.931 KiB      1       3 0.1s relax
   2  0 1.955 KiB      2       2 0.2s relax
   2  3 1.954 KiB      1       2 0.1s relax
   1  3    1002 B      2       1 0.2s relax
q quit  r ranks  l links  < > sort  s reverse  arrows PgUp PgDn scroll  ? help`, "\n"),
		textOf(s))
	require.Contains(t, textOf(press(s, "end")), "links: 4-8 of 8")
	require.Contains(t, textOf(press(s, "r")), "ranks: 4, sorted by RANK")
}

// TestEveryWidthAndHeight requires that lines fit, whatever keys are pressed.
func TestEveryWidthAndHeight(t *testing.T) {
	for _, ranks := range []int{1, 64, 1024} {
		for _, size := range [][2]int{{1, 1}, {2, 2}, {9, 3}, {40, 7}, {80, 24}, {81, 9}, {132, 50}, {400, 100}} {
			s := after(newMadeUpJob(ranks, "stalled"), 80, 24, 1, 2)
			for _, key := range []string{"", "end", "l", "end", "?", "r", ">", "s", "pgup", "down", "home"} {
				s.resize(size[0], size[1])
				s.press(key)
				lines := strings.Split(textOf(s), "\n")
				require.Len(t, lines, size[1], "%v %s", size, key)
				for _, line := range lines {
					require.LessOrEqual(t, utf8.RuneCountInString(line), size[0], "%v %q", size, line)
				}
			}
		}
	}
	require.Contains(t, textOf(press(after(newMadeUpJob(4, "stalled"), 80, 24, 1), "?")), "Of a job of more than 64 ranks")
}

func TestScrolling(t *testing.T) {
	s := after(newMadeUpJob(64, "running"), 80, 24, 1)
	rows := s.fit()
	require.Equal(t, 17, rows)
	for _, step := range []struct {
		key   string
		first int
	}{{"up", 0}, {"down", 1}, {"pgdown", 17}, {"pgdown", 33}, {"pgdown", 47}, {"down", 47}, {"up", 46}, {"home", 0},
		{"end", 47}} {
		require.Equal(t, step.first, press(s, step.key).ranks.first, step.key)
	}
	s.resize(80, 71)
	require.Zero(t, s.ranks.first, "there is room for all")
}

func TestSorting(t *testing.T) {
	s := after(newMadeUpJob(4, "running"), 80, 24, 1, 2)
	order := func() (all []int) {
		for _, r := range s.ranks.rows {
			all = append(all, r.first)
		}
		return all
	}
	require.Equal(t, []int{0, 1, 2, 3}, order())
	for _, title := range []string{"STILL", "PEBBLES/S", "HANDLED", "HELD"} {
		require.Contains(t, textOf(press(s, ">")), "sorted by "+title)
	}
	require.Equal(t, []int{3, 2, 1, 0}, order(), "the one that holds most is the first")
	require.Contains(t, textOf(press(s, "s")), "sorted by HELD, reversed")
	require.Equal(t, []int{0, 1, 2, 3}, order())
	s.show(noon, newMadeUpJob(4, "running").sightingAt(3))
	require.Contains(t, textOf(s), "sorted by HELD, reversed", "new rows keep the order")
	require.Contains(t, textOf(press(s, "<", "<", "<", "<", "<")), "sorted by DOING",
		"the first column is beside the last")
}

// TestRates requires rates between the first and the last kept sighting.
func TestRates(t *testing.T) {
	job := newMadeUpJob(4, "running")
	s := after(job, 80, 24, 10)
	require.True(t, math.IsNaN(s.last().ranks[0].rate))
	s.show(noon, job.sightingAt(10))
	require.Len(t, s.past, 1, "it was the same")
	for n := int64(11); n < 30; n++ {
		s.show(noon, job.sightingAt(n))
	}
	require.Len(t, s.past, window)
	require.InDelta(t, 2000, s.last().ranks[1].rate, 1e-6)
	require.InDelta(t, 0.5, s.last().ranks[1].shares.compute, 1e-6)

	another := newMadeUpJob(4, "running").sightingAt(31)
	another.job = "another at the same address"
	s.show(noon, another)
	require.Len(t, s.past, 1)
	require.True(t, math.IsNaN(s.last().ranks[0].rate))
	s.show(noon, newMadeUpJob(1024, "running").sightingAt(32))
	require.Len(t, s.past, 1)
}

// TestMisses reports a silent job until further looks are useless.
func TestMisses(t *testing.T) {
	slow := errors.New("timeout \x1b[2J")
	s := newScreen(noon)
	s.resize(80, 24)
	require.Contains(t, textOf(s), "waiting for the job")
	require.NoError(t, s.miss(noon.Add(firstWait-1), slow))
	require.Contains(t, textOf(s), `waiting for the job: timeout \x1b[2J`)
	require.Equal(t, slow, s.miss(noon.Add(firstWait), slow))
	require.Equal(t, syscall.ECONNREFUSED, s.miss(noon, syscall.ECONNREFUSED))

	s.show(noon, newMadeUpJob(4, "running").sightingAt(1))
	require.NoError(t, s.miss(noon.Add(lostWait-1), slow))
	require.Contains(t, textOf(s), `NO ANSWER: timeout \x1b[2J`)
	require.Contains(t, textOf(s), "4 ranks are in epoch", "what was known is still there")
	s.show(noon, newMadeUpJob(4, "running").sightingAt(2))
	require.NotContains(t, textOf(s), "NO ANSWER")
	require.Equal(t, errOver, s.miss(noon.Add(lostWait), slow))
	require.Equal(t, errOver, s.miss(noon, &refusal{"status 401"}))
	require.Contains(t, s.farewell(), "the job has ended or can't be reached")
}

// TestHostileTexts uses texts of a hostile program or server.
func TestHostileTexts(t *testing.T) {
	for _, ranks := range []int{4, 1024} {
		job := newMadeUpJob(ranks, "stalled")
		job.status, job.target = "\x1b[2J\x1b]0;title\a\r\n", "\x1b[31m\u009b\u202e\xff"
		j := job.at(1)
		j.Verdict, j.Program, j.ID, j.Transport = "\x1b[2J", "\x1bc", "\r", "\a"
		s := newScreen(noon)
		s.resize(200, 50)
		s.show(noon, sightingFrom(j))
		for _, key := range []string{"r", "l"} {
			for line := range strings.SplitSeq(textOf(press(s, key)), "\n") {
				require.False(t, obeyed(line), "%q", line)
			}
		}
		require.Contains(t, textOf(s), `rank 0 says: \x1b[2J\x1b]0;title\a\r\n`)
		require.Contains(t, s.text(), `\x1b[31m`)
	}
}

// TestLive handles the results of looks, without a terminal.
func TestLive(t *testing.T) {
	job := newMadeUpJob(4, "running")
	looks := int64(0)
	l := &live{screen: newScreen(noon), see: func(context.Context) (*sighting, error) {
		looks++
		return job.sightingAt(looks), nil
	}}
	l.screen.resize(100, 30)
	for range 2 {
		require.True(t, l.saw(l.look(t.Context())), "it looks again later")
	}
	require.EqualValues(t, 2, looks)
	require.Contains(t, textOf(l.screen), "for 2s")
	require.Contains(t, textOf(press(l.screen, "l")), "links: 8")
	require.Contains(t, textOf(press(l.screen, "right")), "sorted by FLIGHT")
	require.False(t, l.saw(seen{at: noon, err: syscall.ECONNREFUSED}))
	require.Equal(t, errOver, l.over)
}

func TestKeys(t *testing.T) {
	for text, want := range map[string][]string{
		"q": {"q"}, "lr?<>s": {"l", "r", "?", "<", ">", "s"}, "\x1b": {"esc"}, "\x03\x1a": {"ctrl+c", "ctrl+z"}, "é": {"é"},
		"\x1b[A\x1b[B\x1bOC\x1bOD": {"up", "down", "right", "left"}, "\x1b[5~\x1b[6~": {"pgup", "pgdown"},
		"\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~": {"home", "end", "home", "end", "home", "end"},
		"\x1b[1;5Aq": {"unknown", "q"}, "\x1bq": {"esc", "q"}, "\x1b[": {""}, "\x1b[5": {""}, "\xff": {"\ufffd"},
	} {
		var got []string
		for rest := []byte(text); len(rest) > 0; {
			var key string
			key, rest = nextKey(rest)
			if got = append(got, key); key == "" {
				break
			}
		}
		require.Equal(t, want, got, "%q", text)
	}
}
