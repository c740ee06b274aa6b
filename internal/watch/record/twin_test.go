package record

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// TestRoundTrip compares the record of a job with its ranks, which are the twin.
func TestRoundTrip(t *testing.T) {
	random := newRandom(t)
	dir := t.TempDir()
	job := jobOf("j1", 3, 4)
	const seconds = 100
	for i := range job.Processes {
		p := &job.Processes[i]
		w := create(t, dir, job, i, 0)
		for s := range seconds {
			step(random, p, s, 1+random.IntN(2))
			second(t, w, float64(s+1), p)
		}
		require.NoError(t, w.Close(after(seconds), ""))
	}
	record := read(t, dir)
	require.Equal(t, job.Program, record.Job.Program)
	require.Equal(t, job.Settings, record.Job.Settings)
	require.Equal(t, began, record.Job.Started)
	require.Len(t, record.Ranks, job.Ranks)
	for i, p := range job.Processes {
		require.Equal(t, uint64(seconds), record.Processes[i].Seconds)
		require.Equal(t, p.Resident, record.Processes[i].Resident)
		for _, twin := range p.Ranks {
			sameRank(t, twin, record.Rank(twin.Rank))
		}
	}
	require.Equal(t, InOrder, record.Ending.Kind)
	require.InDelta(t, seconds, record.Seconds(), 0)
	sameEpochs(t, record, job, seconds)
	sameSums(t, record, job)
}

func sameRank(t *testing.T, twin state.Rank, got *Rank) {
	t.Helper()
	require.Equal(t, twin.Counters, got.Counters)
	require.Equal(t, twin.Memory, got.Memory)
	require.Equal(t, twin.Call, got.Call)
	require.Equal(t, []any{twin.Doing, twin.Target, twin.Wait, twin.For, twin.Status, twin.StillSeconds},
		[]any{got.Doing, got.Target, got.Wait, got.For, got.Status, got.StillSeconds})
	require.NotEmpty(t, got.Links)
	require.Equal(t, twin.Links[:len(got.Links)], got.Links)
	require.InDelta(t, twin.Seconds.Credit, got.Seconds.Credit, 0.001)
	require.InDelta(t, twin.Seconds.Compute, got.Seconds.Compute, 0.001)
	require.Len(t, got.Events, eventsKept)
	last := twin.Events[len(twin.Events)-eventsKept:]
	for i, e := range got.Events {
		require.InDelta(t, last[i].At, e.At, 1e-6)
		require.InDelta(t, last[i].End, e.End, 1e-6, "%v", e)
		want := last[i]
		require.Equal(t, []any{want.Kind, want.Name, want.Site, want.Number}, []any{e.Kind, e.Name, e.Site, e.Number})
	}
}

func sameEpochs(t *testing.T, record *Record, job *state.Job, seconds int) {
	t.Helper()
	require.Len(t, record.Epochs, seconds)
	for i, e := range record.Epochs {
		want := Epoch{uint64(i + 1), "level", "bfs.go:88", "", float64(i), float64(i + 1), job.Ranks, job.Ranks}
		if i == seconds-1 {
			want.End, want.Ended = 0, 0
		}
		require.Equal(t, want, e)
	}
}

// sameSums compares the series with the counters: its sum over all spans equals the work of the ranks.
func sameSums(t *testing.T, record *Record, job *state.Job) {
	t.Helper()
	var handled, sum uint64
	for _, p := range job.Processes {
		for _, r := range p.Ranks {
			handled += r.Counters.PebblesHandled
		}
	}
	for _, p := range record.Series {
		sum += uint64(p.Handled * p.Width)
	}
	require.InEpsilon(t, handled, sum, 1e-3)
	require.LessOrEqual(t, len(record.Series), pointsMost)
	require.InDelta(t, 64<<20*len(job.Processes), record.Series[50].Bound, 0)
}

// TestSideBySide lets the processes of a job and the launcher write concurrently, each on its own goroutine.
func TestSideBySide(t *testing.T) {
	dir := t.TempDir()
	job := jobOf("j1", 8, 2)
	l := createLauncher(t, dir, job.ID, job.Program, 8, began)
	var group sync.WaitGroup
	for i := range job.Processes {
		group.Go(func() {
			w, err := Create(dir, job, i, 0)
			if err != nil {
				t.Error(err)
				return
			}
			for s := range 20 {
				second(t, w, float64(s), &job.Processes[i])
			}
			if err := w.Close(after(20), ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	require.NoError(t, l.Ended(after(20), 0, "exit status 0", false))
	require.NoError(t, l.Close(after(20), ""))
	record := read(t, dir)
	require.Len(t, record.Processes, 8)
	require.Len(t, record.Ranks, 16)
	require.Equal(t, &Launched{Processes: 8, Closed: true}, record.Launched)
	require.Equal(t, InOrder, record.Ending.Kind)
}

// TestLaterVersion reads the known fields of a record of a later version.
func TestLaterVersion(t *testing.T) {
	dir := t.TempDir()
	const text = `{"job":{"version":3,"ranks":1,"last":1,"new":7}}
{"new":{"rank":0}}
{"rank":{"rank":0,"counters":{"new":5,"epochs":1},"seconds":{"idle":1.5}}}
`
	require.NoError(t, os.WriteFile(dir+"/"+segmentName("j", 0, 0), []byte(text), 0o600))
	record := reread(t, dir)
	require.Len(t, record.Problems, 1)
	require.Contains(t, record.Problems[0], "later version")
	require.Equal(t, uint64(1), record.Ranks[0].Counters.Epochs)
	require.Equal(t, 1.5, record.Ranks[0].Seconds.Idle)
}
