package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// faulty is a file whose disk refuses writes, after the first bytes of them, while full is set.
type faulty struct {
	*os.File
	full *error
}

func (f faulty) Write(p []byte) (int, error) {
	if *f.full == nil {
		return f.File.Write(p)
	}
	n, _ := f.File.Write(p[:min(len(p), 100)])
	return n, *f.full
}

// writerOn is a writer whose files are what open makes of them.
func writerOn(t *testing.T, dir string, ranks int, bytes int64, open func(*os.File) io.WriteCloser) *Writer {
	t.Helper()
	job := jobOf("j1", 1, ranks)
	head := appendLine(nil, jobKind, headOf(job, 0))
	file, err := claim(dir, "j1", segmentName("j1", 0, 0))
	require.NoError(t, err)
	s := newSegments(dir, "j1", 0, open(file), head, bytes)
	from := s.open
	s.open = func(segment int) (io.WriteCloser, error) {
		file, err := from(segment)
		if f, ok := file.(*os.File); ok && err == nil {
			return open(f), nil
		}
		return file, err
	}
	return &Writer{sink: newSink(s), bytes: bytes, ranks: map[int]*seen{}}
}

// A disk is full for a while. That is told once, what was there before stays, and the record goes on.
func TestFullForAWhile(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO} {
		dir := t.TempDir()
		job := jobOf("j1", 1, 2)
		p := &job.Processes[0]
		random := newRandom(t)
		var full error
		w := writerOn(t, dir, 2, 1<<20, func(f *os.File) io.WriteCloser { return faulty{f, &full} })
		var told []error
		for s := range 30 {
			step(random, p, s, 2)
			settle(t, w)
			if full = nil; s >= 10 && s < 15 {
				full = cause
			}
			if err := w.Second(after(float64(s+1)), p, 0, "it moves"); err != nil {
				told = append(told, err)
			}
			settle(t, w)
		}
		require.NoError(t, w.Close(after(31), ""))
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], cause)
		require.ErrorContains(t, told[0], "the job goes on")

		record := reread(t, dir)
		require.Equal(t, uint64(25), record.Processes[0].Seconds)
		sameCounters(t, p, record)
		require.Equal(t, InOrder, record.Ending.Kind)
		require.NotEmpty(t, record.Problems)
		require.Contains(t, record.Problems[len(record.Problems)-1], "its disk refused ")
		require.Contains(t, record.Problems[len(record.Problems)-1], cause.Error())
	}
}

// A disk that is full from the beginning costs the head too: it comes when there is room.
func TestFullAtFirst(t *testing.T) {
	dir := t.TempDir()
	full := error(syscall.ENOSPC)
	job := jobOf("j1", 1, 2)
	w := writerOn(t, dir, 2, 1<<20, func(f *os.File) io.WriteCloser { return faulty{f, &full} })
	require.NoError(t, w.Second(after(1), &job.Processes[0], 0, ""))
	settle(t, w)
	full = nil
	require.ErrorIs(t, w.Second(after(2), &job.Processes[0], 0, ""), syscall.ENOSPC)
	require.NoError(t, w.Close(after(2), ""))
	record := reread(t, dir)
	require.Equal(t, "bfs", record.Job.Program)
	require.Len(t, record.Ranks, 2)
}

// stuck is a file whose disk does not answer until it is let go.
type stuck struct {
	io.WriteCloser
	met chan struct{} // hears of a write, when it can
	go_ chan struct{}
}

func (s stuck) Write(p []byte) (int, error) {
	select {
	case s.met <- struct{}{}:
	default:
	}
	<-s.go_
	return s.WriteCloser.Write(p)
}

// A disk that does not answer holds nobody: seconds are skipped, and what they had is in the next one.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	job := jobOf("j1", 1, 2)
	p := &job.Processes[0]
	random := newRandom(t)
	met, release := make(chan struct{}, 1), make(chan struct{})
	w := writerOn(t, dir, 2, 1<<20, func(f *os.File) io.WriteCloser { return stuck{f, met, release} })
	for s := range 50 { // would hang
		step(random, p, s, 1)
		require.NoError(t, w.Second(after(float64(s)), p, 0, "it moves"))
		if s == 0 {
			<-met // the others wait behind it
		}
	}
	start := time.Now()
	require.ErrorContains(t, w.Failed(after(50), "out of luck", 0), "has not answered for 1s")
	require.GreaterOrEqual(t, time.Since(start), failedWait)
	require.Greater(t, w.skipped, uint64(40))
	close(release)
	settle(t, w)
	step(random, p, 51, 1)
	second(t, w, 51, p)
	require.NoError(t, w.Close(after(52), ""))
	record := reread(t, dir)
	require.Len(t, record.Problems, 1)
	require.Contains(t, record.Problems[0], "seconds were skipped, since its disk was slow")
	sameCounters(t, p, record)
}

// A disk that never answers does not hold the end of the process.
func TestDeadDisk(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w := writerOn(t, t.TempDir(), 1, 1<<20, func(f *os.File) io.WriteCloser { return stuck{f, nil, release} })
	require.ErrorContains(t, w.Close(after(1), ""), "has not answered for 2s")
	require.ErrorIs(t, w.Close(after(1), ""), errClosed)
	require.ErrorIs(t, w.Failed(after(1), "", 0), errClosed)
	require.ErrorIs(t, w.Second(after(1), &jobOf("j1", 1, 1).Processes[0], 0, ""), errClosed)
	close(release)
	<-w.sink.done
}

// A real file system fills, and is emptied.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		t.Skipf("needs a small file system of its own, which only root may mount: %v", err)
	}
	t.Cleanup(func() { unmount(dir) })
	fill := filepath.Join(dir, "fill")
	require.NoError(t, os.WriteFile(fill, make([]byte, 100<<10), 0o600))
	job := jobOf("j1", 1, 4)
	p := &job.Processes[0]
	random := newRandom(t)
	w := create(t, dir, job, 0, 0)
	var told error
	s := 0
	for ; told == nil && s < 1000; s++ {
		step(random, p, s, 10)
		told = w.Second(after(float64(s)), p, 0, "it moves")
		settle(t, w)
	}
	require.ErrorIs(t, told, syscall.ENOSPC)
	before := reread(t, dir)
	require.Greater(t, before.Processes[0].Seconds, uint64(10))
	require.NoError(t, os.Remove(fill))
	for range 5 {
		step(random, p, s, 10)
		second(t, w, float64(s), p)
		s++
	}
	require.NoError(t, w.Close(after(float64(s)), ""))
	record := reread(t, dir)
	require.Greater(t, record.Processes[0].Seconds, before.Processes[0].Seconds)
	sameCounters(t, p, record)
}

func TestLauncherOnAFullDisk(t *testing.T) {
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("needs /dev/full")
	}
	require.NoError(t, err)
	l := &Launcher{file: file}
	require.ErrorIs(t, l.Ended(began, 1, "exit status 1", true), syscall.ENOSPC)
	require.ErrorContains(t, l.Close(began, ""), "write the launcher's record")
}
