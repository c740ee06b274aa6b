package record

import (
	"bytes"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// dead returns the record of a job that ran for a minute and failed.
func dead(t *testing.T, hostile string) *Record {
	dir := t.TempDir()
	job := jobOf("j1", 4, 4)
	job.Program += hostile
	job.Settings["topology"] += hostile
	random := newRandom(t)
	for i := range job.Processes {
		p := &job.Processes[i]
		p.Host += hostile
		w := create(t, dir, job, i, 0)
		for s := range 60 {
			step(random, p, s, 3)
			p.Ranks[0].Status += hostile
			p.Ranks[0].Stack = []string{"main.visit bfs.go:71" + hostile, "main.run bfs.go:88"}
			p.Ranks[0].Events[len(p.Ranks[0].Events)-1].Name += hostile
			require.NoError(t, w.Second(after(float64(s+1)), p, float64(s/50), "rank 4 handles the same pebble"+hostile))
			settle(t, w)
		}
		switch i {
		case 0, 3:
			require.NoError(t, w.Failed(after(60.2), "lost process 1 (ranks 4-7): connection reset by peer"+hostile, 1))
			require.NoError(t, w.Close(after(60.3), "status 75"))
		case 2:
			require.NoError(t, w.Close(after(60.3), ""))
		default:
			require.NoError(t, w.sink.close(closeWait))
		}
	}
	l := createLauncher(t, dir, "j1", job.Program, 4, began)
	require.NoError(t, l.Ended(after(60.4), 1, "killed by signal 9 (killed)"+hostile, true))
	require.NoError(t, l.Close(after(60.5), "failed"))
	return read(t, dir)
}

func TestText(t *testing.T) {
	record := dead(t, "")
	var text bytes.Buffer
	require.NoError(t, record.Text(&text))
	all := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	require.LessOrEqual(t, len(all), textLines)
	require.Equal(t, "bfs failed", all[0])
	require.Equal(t, "Process 1 (ranks 4-7, host host0, pid 1001) fell first: killed by signal 9 (killed).", all[1])
	for _, line := range all {
		require.LessOrEqual(t, len(line), textWidth+20)
	}
	for _, part := range []string{
		"memory-limit=64 MiB", "held most memory: rank ", "At the end rank 4 ", "epoch 60 \"level\"",
	} {
		require.Contains(t, text.String(), part)
	}
	require.Error(t, record.Text(broken{}))
	require.ErrorContains(t, record.HTML(broken{}), "write the report")
}

// broken is a writer that accepts nothing.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestTextIsBounded(t *testing.T) {
	record := dead(t, "")
	record.Ending.Cause = strings.Repeat("many words ", 1000)
	for range 1000 {
		record.Ending.Facts = append(record.Ending.Facts, "a fact")
		record.Problems = append(record.Problems, "a problem")
	}
	var text bytes.Buffer
	require.NoError(t, record.Text(&text))
	require.Equal(t, textLines, strings.Count(text.String(), "\n"))
}

// TestHTML requires that the page loads nothing, and shows the texts of a program as text.
func TestHTML(t *testing.T) {
	const hostile = `<script>alert(1)</script>"'><img onerror=x>&{{.}}`
	var page bytes.Buffer
	require.NoError(t, dead(t, hostile).HTML(&page))
	text := page.String()
	require.Less(t, len(text), 200<<10)
	require.NotRegexp(t, regexp.MustCompile(`(?i)\bsrc=|url\(|<link|@import|<img|<iframe|<[^>]* on[a-z]+=`), text)
	require.Equal(t, 2, strings.Count(text, "<script"))
	require.Contains(t, text, "&lt;script&gt;")
	require.NotContains(t, text, "ZgotmplZ")
	require.Contains(t, text, "const columns = [[1,2,")
	cause, job := strings.Index(text, "fell first"), strings.Index(text, "The job</h2>")
	require.Positive(t, cause)
	require.Greater(t, job, cause)
}

func TestEmptyReports(t *testing.T) {
	for _, record := range []*Record{
		{},
		{Ranks: []*Rank{{}}, Processes: []*Process{{}}, Epochs: []Epoch{{}}, Series: []Point{{}}},
		{Series: []Point{{At: math.Inf(1), Width: math.NaN(), Handled: math.Inf(1)}}},
	} {
		require.NoError(t, record.Text(io.Discard))
		require.NoError(t, record.HTML(io.Discard))
	}
}

func TestSeries(t *testing.T) {
	s := newSeries()
	s.spread(0, 1000, &[heldMost]float64{1000})
	s.spread(500.25, 500.75, &[heldMost]float64{handledSum: 8})
	require.Equal(t, 4.0, s.width)
	require.InDelta(t, 4, s.buckets[0][handledSum], 1e-9)
	require.InDelta(t, 12, s.buckets[125][handledSum], 1e-9)
	other := newSeries()
	other.at(4)[heldMost] = 7
	other.at(5)[heldMost] = 5
	s.add(other)
	require.Equal(t, 7.0, s.buckets[0][heldMost])
	require.Equal(t, 5.0, s.buckets[1][heldMost])
	s.spread(1000, 1001, &[heldMost]float64{handledSum: 3})
	points := s.points()
	require.Len(t, points, 251)
	require.InDelta(t, 1, points[0].Handled, 1e-9)
	require.InDelta(t, 1, points[250].Width, 1e-9)
	require.InDelta(t, 3, points[250].Handled, 1e-9)
	for _, t := range []float64{math.NaN(), math.Inf(1), -5, 1e300} {
		s.spread(0, t, &[heldMost]float64{1})
	}
	require.LessOrEqual(t, len(s.buckets), pointsMost)

	gauges := newSeries()
	gauges.at(0.5)[heldMost] = 3
	gauges.at(5)[heldMost] = 1
	gauges.fill()
	require.Equal(t, 3.0, gauges.buckets[2][heldMost])
	require.Equal(t, 1.0, gauges.buckets[4][heldMost])
}

// TestSectionsArePlain requires that a report shows control characters, and those that reverse text, as spaces.
func TestSectionsArePlain(t *testing.T) {
	var s section
	s.add("%s", "a\x1b[31m\nb\u202ec\u2028")
	require.Equal(t, []string{"a [31m b c "}, s.Lines)
	s.add("%s", strings.Repeat("x", 2*causeMax))
	require.Len(t, s.Lines[1], causeMax+len("…"))
}
