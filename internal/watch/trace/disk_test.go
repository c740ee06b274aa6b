package trace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// flaky is a file with a disk that is full on request: then a write transfers only some bytes.
type flaky struct {
	*os.File
	full  bool
	stuck bool // it cannot be truncated
}

func (f *flaky) Write(p []byte) (int, error) {
	if !f.full {
		return f.File.Write(p)
	}
	n, _ := f.File.Write(p[:min(len(p), 33)])
	return n, syscall.ENOSPC
}

func (f *flaky) Truncate(size int64) error {
	if f.stuck {
		return syscall.EINVAL
	}
	return f.File.Truncate(size)
}

func flakyFile(t *testing.T, full, stuck bool) (*File, *flaky) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(t.TempDir(), "trace"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	require.NoError(t, err)
	to := &flaky{file, full, stuck}
	return newFile(to, file.Name(), configOf(0, 1, 2)), to
}

// TestFullForAWhile fills a disk for a while. One error is reported, earlier events stay, and the trace continues.
func TestFullForAWhile(t *testing.T) {
	for _, atFirst := range []bool{false, true} {
		random := newRandom(t)
		f, disk := flakyFile(t, atFirst, false)
		var want wanted
		var told []error
		lost := uint64(0)
		for i := range 60 {
			disk.full = i >= 20 && i < 30 || atFirst && i < 5
			into := &want
			if disk.full {
				into = new(wanted)
			}
			for rank := range 2 {
				l := &life{random, rank, f.Rank(rank), time.Duration(i) * time.Second, into}
				l.step()
			}
			if disk.full {
				lost += uint64(len(into.events))
			} else {
				f.Counter(1, "bytes held", time.Duration(i)*time.Second, float64(i))
			}
			if err := f.Drain(); err != nil {
				told = append(told, err)
			}
		}
		require.NoError(t, f.Close())
		require.Len(t, told, 1)
		require.ErrorIs(t, told[0], syscall.ENOSPC)
		require.ErrorContains(t, told[0], "the job goes on")
		p := view(t, read(t, f.path))
		want.same(t, p)
		require.Equal(t, lost, p.said[len(p.said)-1].numbers["disk refused"])
		sum := summed(t, f.path)
		require.Empty(t, sum.Problems)
		require.Equal(t, lost, sum.Refused)
		require.Contains(t, sum.String(), "refused by a disk")
	}
}

// TestFullAndStuck requires that nothing follows the remains of a failed write that cannot be cut off.
func TestFullAndStuck(t *testing.T) {
	f, disk := flakyFile(t, false, true)
	var want, lost wanted
	want.tell(f.Rank(0), 0, event{kind: Wait, end: 5})
	require.NoError(t, f.Drain())
	disk.full = true
	lost.tell(f.Rank(0), 0, event{kind: Wait, begin: 6, end: 7})
	require.ErrorIs(t, f.Drain(), syscall.ENOSPC)
	disk.full = false
	lost.tell(f.Rank(0), 0, event{kind: Wait, begin: 6, end: 7})
	require.NoError(t, f.Drain())
	require.NoError(t, f.Close())
	require.Equal(t, uint64(2), f.left.disk)
	trace := read(t, f.path)
	require.Len(t, trace, int(f.size)+33)
	want.same(t, view(t, trace[:f.size]))
}

// TestFullAtClose requires that Close reports errors that only Close finds.
func TestFullAtClose(t *testing.T) {
	f, disk := flakyFile(t, false, false)
	disk.full = true
	f.Rank(0).Slice(Wait, 1, 1, 2, 3, 4)
	require.ErrorIs(t, f.Close(), syscall.ENOSPC)
	view(t, read(t, f.path))

	f, disk = flakyFile(t, false, false)
	require.NoError(t, disk.Close())
	require.ErrorIs(t, f.Close(), fs.ErrClosed)
}

func TestDevFull(t *testing.T) {
	const path = "/dev/full"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs " + path)
	}
	f, err := Create(path, configOf(0, 1, 1))
	require.NoError(t, err)
	require.ErrorIs(t, f.Drain(), syscall.ENOSPC)
	for range 3 {
		f.Rank(0).Slice(Wait, 1, 1, 2, 3, 4)
		require.NoError(t, f.Drain())
	}
	require.NoError(t, f.Close())
	require.Equal(t, uint64(3), f.left.disk)
}
