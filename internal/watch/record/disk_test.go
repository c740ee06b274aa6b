package record

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/disk"
	"github.com/activepebbles/pebbles/internal/disk/disktest"
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

// newOneOn returns a process whose files are wrapped by open.
func newOneOn(t *testing.T, ranks int, open func(*os.File) io.WriteCloser) *one {
	t.Helper()
	o := &one{t: t, dir: t.TempDir(), job: jobOf("j1", 1, ranks), random: newRandom(t)}
	o.p = &o.job.Processes[0]
	file, err := claim(o.dir, "j1", segmentName("j1", 0, 0))
	require.NoError(t, err)
	first := headOf(o.job, 0)
	head, err := appendLine(nil, line{Job: &first})
	require.NoError(t, err)
	s := newSegments(o.dir, "j1", 0, open(file.File), head, 1<<20)
	from := s.open
	s.open = func(segment int) (io.WriteCloser, error) {
		file, err := from(segment)
		if f, ok := file.(disk.File); ok && err == nil {
			return open(f.File), nil
		}
		return file, err
	}
	o.Writer = newWriter(s)
	return o
}

// TestFullForAWhile fills a disk for a while. One error is reported, earlier lines stay, and the record continues.
func TestFullForAWhile(t *testing.T) {
	for _, cause := range []error{syscall.ENOSPC, syscall.EIO} {
		var full error
		o := newOneOn(t, 2, func(f *os.File) io.WriteCloser { return faulty{f, &full} })
		var told []error
		for s := range 30 {
			if full = nil; s >= 10 && s < 15 {
				full = cause
			}
			if err := o.live(s, 2); err != nil {
				told = append(told, err)
			}
		}
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], cause)
		require.ErrorContains(t, told[0], "the job goes on")

		record := o.read(31)
		require.Equal(t, uint64(25), record.Processes[0].Seconds)
		require.Equal(t, InOrder, record.Ending.Kind)
		require.NotEmpty(t, record.Problems)
		require.Contains(t, record.Problems[len(record.Problems)-1], "its disk refused ")
		require.Contains(t, record.Problems[len(record.Problems)-1], cause.Error())
	}
}

// TestFullAtFirst requires that the head, which a full disk refuses at first, is written when the disk has room.
func TestFullAtFirst(t *testing.T) {
	full := error(syscall.ENOSPC)
	o := newOneOn(t, 2, func(f *os.File) io.WriteCloser { return faulty{f, &full} })
	require.NoError(t, o.live(0, 0))
	full = nil
	require.ErrorIs(t, o.live(1, 0), syscall.ENOSPC)
	record := o.read(2)
	require.Equal(t, "bfs", record.Job.Program)
	require.Len(t, record.Ranks, 2)
}

// stuck is a file whose disk does not answer until it is let go.
type stuck struct {
	io.WriteCloser
	met chan struct{} // signals a write, if possible
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

// TestSlowDisk requires that a silent disk blocks nothing: seconds are skipped, and the next one includes their counts.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	met, release := make(chan struct{}, 1), make(chan struct{})
	o := newOneOn(t, 2, func(f *os.File) io.WriteCloser { return stuck{f, met, release} })
	for s := range 50 { // would hang
		step(o.random, o.p, s, 1)
		require.NoError(t, o.Second(after(float64(s)), o.p, 0, "it moves"))
		if s == 0 {
			<-met // the others wait behind it
		}
	}
	start := time.Now()
	require.ErrorContains(t, o.Failed(after(50), "out of luck", 0), "has not answered for 1s")
	require.GreaterOrEqual(t, time.Since(start), failedWait)
	require.Greater(t, o.skipped, uint64(40))
	close(release)
	settle(t, o.Writer)
	require.NoError(t, o.live(51, 1))
	record := o.read(52)
	require.Len(t, record.Problems, 1)
	require.Contains(t, record.Problems[0], "seconds were skipped because its disk was slow")
}

// TestDeadDisk requires that a disk that never answers does not block the end of the process.
func TestDeadDisk(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	o := newOneOn(t, 1, func(f *os.File) io.WriteCloser { return stuck{f, nil, release} })
	require.ErrorContains(t, o.Close(after(1), ""), "has not answered for 2s")
	require.ErrorIs(t, o.Close(after(1), ""), errClosed)
	require.ErrorIs(t, o.Failed(after(1), "", 0), errClosed)
	require.ErrorIs(t, o.Second(after(1), o.p, 0, ""), errClosed)
	close(release)
	<-o.sink.done
}

// TestFullFileSystem fills a real file system, and empties it.
func TestFullFileSystem(t *testing.T) {
	o := &one{t: t, dir: t.TempDir(), job: jobOf("j1", 1, 4), random: newRandom(t)}
	if err := mountSmall(o.dir); err != nil {
		t.Skipf("needs a small file system of its own, which only root may mount: %v", err)
	}
	t.Cleanup(func() { unmount(o.dir) })
	fill := filepath.Join(o.dir, "fill")
	require.NoError(t, os.WriteFile(fill, make([]byte, 100<<10), 0o600))
	o.p, o.Writer = &o.job.Processes[0], create(t, o.dir, o.job, 0, 0)
	var told error
	s := 0
	for ; told == nil && s < 1000; s++ {
		told = o.live(s, 10)
	}
	require.ErrorIs(t, told, syscall.ENOSPC)
	before := reread(t, o.dir)
	require.Greater(t, before.Processes[0].Seconds, uint64(10))
	require.NoError(t, os.Remove(fill))
	for range 5 {
		require.NoError(t, o.live(s, 10))
		s++
	}
	require.Greater(t, o.read(s).Processes[0].Seconds, before.Processes[0].Seconds)
}

func TestLauncherOnAFullDisk(t *testing.T) {
	file, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("needs /dev/full")
	}
	require.NoError(t, err)
	l := &Launcher{file: disk.File{File: file}}
	require.ErrorIs(t, l.Ended(began, 1, "exit status 1", true), syscall.ENOSPC)
	require.ErrorContains(t, l.Close(began, ""), "write the launcher's record")
}

// TestNoErrorOfTheDiskIsLost requires that Create, a second, or Close reports an error of any call on a file. The
// record is small, so that segments change and old ones are removed.
func TestNoErrorOfTheDiskIsLost(t *testing.T) {
	met := map[string]bool{}
	disktest.Each(t, func(t *testing.T, call string) {
		kind, _, _ := strings.Cut(call, " ")
		met[kind] = true
		job, random := jobOf("j1", 1, 1), newRandom(t)
		w, told := Create(t.TempDir(), job, 0, 1)
		if told == nil {
			settle(t, w)
			for s := range 60 {
				step(random, &job.Processes[0], s, 10)
				told = errors.Join(told, w.Second(after(float64(s)), &job.Processes[0], 0, "it moves"))
				settle(t, w)
			}
			told = errors.Join(told, w.Close(after(61), ""))
		}
		if call == "" {
			require.NoError(t, told)
		} else {
			require.ErrorIs(t, told, disktest.Err)
		}
	})
	for _, kind := range []string{"open", "write", "close", "remove"} {
		require.True(t, met[kind], "no call was %s", kind)
	}
}
