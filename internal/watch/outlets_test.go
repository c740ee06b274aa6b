package watch_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	rtrace "runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/watch/record"
	"github.com/activepebbles/pebbles/internal/watch/state"
	"github.com/activepebbles/pebbles/internal/watch/trace"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/task"
)

// get requests a path from the page of a job.
func get(t *testing.T, url, path, token string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s", text)
	return text
}

// TestOutlets requires that a job that is shown, recorded and traced at once reports the same everywhere, leaves
// readable files, and reveals the token of its page only to readers of its errors.
func TestOutlets(t *testing.T) {
	dir := t.TempDir()
	out := &output{news: make(chan struct{}, 1)}
	w := pebble.Watch{
		Name: "outlets", HTTP: "0", Record: filepath.Join(dir, "record"), Trace: filepath.Join(dir, "t.pftrace"), Out: out,
	}
	looked := make(chan struct{})
	ended := make(chan struct{})
	var err error
	go func() {
		defer close(ended)
		err = watched(3, w, func(r *pebble.Rank) error {
			visit := ranks(r, func(uint64) {})
			r.Status("at work")
			for range 3 {
				err := r.Epoch(func() error {
					for to := range r.Size() {
						visit.Send(uint64(to))
					}
					return nil
				}, pebble.Named("relax"))
				if err != nil {
					return err
				}
			}
			<-looked
			return nil
		})
	}()
	address := out.await(t, ended, `watch the job at (\S+)`)
	url, token, _ := strings.Cut(address, "/?token=")
	require.Regexp(t, regexp.MustCompile("^[0-9a-f]{64}$"), token)

	var job state.Job
	for len(job.Processes) == 0 || len(job.Processes[0].Ranks) < 3 || job.Processes[0].Ranks[0].Call.Number < 4 {
		require.NoError(t, json.Unmarshal(get(t, url, "/job.json", token), &job))
	}
	require.Equal(t, "outlets", job.Program)
	rank := job.Processes[0].Ranks[1]
	require.Equal(t, "at work", rank.Status)
	require.Equal(t, "relax", rank.Call.Name)
	require.Equal(t, "mem", job.Settings["transport"])
	metrics := get(t, url, "/metrics", token)
	report := get(t, url, "/report", token)
	require.Contains(t, string(metrics), "pebbles_still_seconds 0\n")
	close(looked)
	<-ended
	require.NoError(t, err)

	r, err := record.Read(filepath.Join(dir, "record"))
	require.NoError(t, err)
	require.Empty(t, r.Problems)
	var summary, merged bytes.Buffer
	require.NoError(t, r.Text(&summary))
	require.Contains(t, summary.String(), "in order")
	sum, err := trace.Merge(&merged, []string{filepath.Join(dir, "t.pftrace")})
	require.NoError(t, err)
	require.Empty(t, sum.Problems)
	require.EqualValues(t, 9, sum.Kinds[trace.Epoch].Events, "3 epochs on 3 ranks")
	for _, counter := range []string{"pebbles handled/s", "bytes sent/s", "bytes held"} {
		require.GreaterOrEqual(t, strings.Count(merged.String(), counter), 3, "one on each rank")
	}

	for _, text := range [][]byte{metrics, report, summary.Bytes(), merged.Bytes()} {
		require.NotContains(t, string(text), token)
	}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(text), token, path)
		}
		return err
	}))
}

// TestKindsInProfiles requires that goroutines in profiles carry the kind of the task that they run, while they run it,
// and while it waits.
func TestKindsInProfiles(t *testing.T) {
	for _, labelled := range []bool{true, false} {
		var waits, between bytes.Buffer
		err := watched(1, pebble.Watch{Pprof: labelled, Out: io.Discard}, func(r *pebble.Rank) error {
			s := task.New(r)
			gate, begun := s.NewGate(), false
			wait := task.NewKind(s, "walk", func(int) {
				begun = true
				gate.Wait()
			})
			watch := task.NewKindBatch(s, "look", 2, func([]int) {
				if err := pprof.Lookup("goroutine").WriteTo(&waits, 1); err != nil {
					panic(err)
				}
				gate.Open()
			})
			err := s.Run(func() {
				wait.Spawn(1)
				for !begun {
					s.Yield()
				}
				watch.Spawn(1)
				watch.Spawn(2)
			})
			return errors.Join(err, s.Run(func() {
				if err := pprof.Lookup("goroutine").WriteTo(&between, 1); err != nil {
					panic(err)
				}
			}))
		})
		require.NoError(t, err)
		for _, kind := range []string{"walk", "look"} {
			carried := regexp.MustCompile(`"kind":"` + kind + `".*"rank":"0"|"rank":"0".*"kind":"` + kind + `"`)
			require.Equal(t, labelled, carried.Match(waits.Bytes()), "%s: %s", kind, &waits)
		}
		require.NotContains(t, between.String(), `"kind"`, "its tasks have ended")
	}
}

// TestWaitsOfTasksInTraces requires the memory and locks that tasks wait for in traces, and all of them if simulated.
func TestWaitsOfTasksInTraces(t *testing.T) {
	const taskCount = 5
	file := filepath.Join(t.TempDir(), "trace")
	w := pebble.Watch{Trace: file, Out: io.Discard}
	err := simulated(t, sim.Config{Ranks: 2, Processes: 2}, w, func(r *pebble.Rank) error {
		space := memory.New(r)
		words := memory.NewArray[uint64](space, "words", distribution.Block(2, 2))
		lock := memory.NewLock(space, "door", 0)
		s := task.New(r)
		return s.Run(func() {
			for range taskCount * r.ID() { // of rank 1, which reads memory of rank 0
				s.Go(func() {
					lock.Lock()
					words.Get(0)
					lock.Unlock()
				})
			}
		})
	})
	require.NoError(t, err)
	sum, err := trace.Merge(io.Discard, []string{file})
	require.NoError(t, err)
	require.GreaterOrEqual(t, sum.Kinds[trace.Access].Events, uint64(2*taskCount), "each reads, and swaps the lock's word")
	require.EqualValues(t, 2*taskCount-1, sum.Kinds[trace.Lock].Events,
		"each waits for the swap of the lock's word, and all but the first for the lock")
}

// TestOutletsRefused requires that a job that cannot be shown, recorded or traced as requested does not begin.
func TestOutletsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for words, w := range map[string]pebble.Watch{
		"serve the page of the job": {HTTP: "no such host:80"},
		"record the job":            {Record: file},
		"trace the job": {
			HTTP: "0", Record: filepath.Join(filepath.Dir(file), "r"), Trace: filepath.Join(file, "t"),
		},
	} {
		w.Out = io.Discard
		err := watched(1, w, func(*pebble.Rank) error { return errors.New("it has begun") })
		require.ErrorContains(t, err, words)
		require.NotContains(t, err.Error(), "it has begun")
	}
}

func TestRecordOfFailure(t *testing.T) {
	dir := t.TempDir()
	err := watched(2, pebble.Watch{Record: dir, Out: io.Discard}, func(r *pebble.Rank) error {
		if r.ID() == 1 {
			return errors.New("the disk is full")
		}
		return r.Barrier()
	})
	require.Error(t, err)
	r, err := record.Read(dir)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, r.Text(&text))
	require.Contains(t, text.String(), "rank 1: the disk is full")
}

// TestGoTools requires that, with profiles, the goroutine of a rank carries the target whose handler runs, and that
// Go's flight recorder is dumped beside the report of a standstill.
func TestGoTools(t *testing.T) {
	t.Parallel()
	flight := rtrace.NewFlightRecorder(rtrace.FlightRecorderConfig{})
	require.NoError(t, flight.Start())
	defer flight.Stop()
	dir := t.TempDir()
	out := newReport()
	var profile bytes.Buffer
	w := pebble.Watch{Stall: time.Second, Out: out, Pprof: true, Record: dir, FlightRecorder: flight}
	dumped := func() []string {
		found, _ := filepath.Glob(filepath.Join(dir, "flight-*.trace"))
		return found
	}
	err := watched(2, w, func(r *pebble.Rank) error {
		visit := ranks(r, func(v uint64) {
			if r.ID() == 1 {
				<-out.release
				if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
					panic(err)
				}
			}
		})
		return r.Epoch(func() error {
			if r.ID() == 0 {
				visit.Send(1)
			}
			return nil
		}, pebble.Named("relax"))
	})
	require.NoError(t, err)
	require.Regexp(t, `"rank":"1".*"target":"visit"|"target":"visit".*"rank":"1"`, profile.String())
	require.Len(t, dumped(), 1)
	info, err := os.Stat(dumped()[0])
	require.NoError(t, err)
	require.Positive(t, info.Size())
}
