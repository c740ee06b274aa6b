package export

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// limited limits the size of all files of this process until the test ends, like a full disk.
func limited(t *testing.T, bytes uint64) {
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	signal.Ignore(syscall.SIGXFSZ)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: bytes, Max: before.Max}))
	t.Cleanup(func() {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before))
		signal.Reset(syscall.SIGXFSZ)
	})
}

// A full file system is an error on all ranks, whichever operation fails, and no output remains.
func TestFull(t *testing.T) {
	for name, c := range map[string]struct {
		lines int // of a KiB each, on rank 1
		opts  []Option
	}{
		"while it is written":     {2000, nil},
		"when it is closed":       {100, nil},
		"when it is compressed":   {2000, []Option{Zstd()}},
		"when it is put together": {30, []Option{OneFile()}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			limited(t, 40<<10)
			errs := make([]error, 3)
			err := pebble.Run(context.Background(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				out, err := Create(r, filepath.Join(folder, "out"), Lines(), c.opts...)
				if err != nil {
					return err
				}
				defer out.Abort()
				line, random := make([]byte, 1023), rand.New(rand.NewPCG(1, 2))
				for range c.lines {
					for j := range line {
						line[j] = byte('!' + random.IntN(90))
					}
					if r.ID() == 1 || c.lines < 50 {
						_ = out.Write(line) // Close returns its error, too
					}
				}
				_, errs[r.ID()] = out.Close()
				return nil
			})
			require.NoError(t, err)
			for _, err := range errs {
				require.ErrorContains(t, err, fmt.Sprintf("write %s", filepath.Join(folder, "out")))
				require.ErrorContains(t, err, "file too large")
			}
			entries, err := os.ReadDir(folder)
			require.NoError(t, err)
			require.Empty(t, entries)
		})
	}
	require.ErrorContains(t, advise(syscall.ENOSPC), "no space left on device: make room, or write to another file "+
		"system")
	require.ErrorContains(t, advise(syscall.EACCES), "give the user of the job the right to write there")
}

// A host that does not share the folder of rank 0 makes its own. One that does finds the rank that made it.
func TestJoin(t *testing.T) {
	folder := t.TempDir()
	p := place{name: filepath.Join(folder, "out"), temp: filepath.Join(folder, ".out.tmp1")}
	require.ErrorContains(t, p.find(), "no such file")
	require.NoError(t, p.join(options{}, "b"))
	require.True(t, p.made)
	require.ErrorContains(t, p.find(), "is another's: try again")
	require.NoError(t, os.WriteFile(filepath.Join(p.temp, makerPrefix+"3"), nil, 0o600))
	other := place{name: p.name, temp: p.temp}
	require.NoError(t, other.join(options{}, "c"))
	require.False(t, other.made)
	require.NoError(t, other.find())
	require.Equal(t, 3, other.maker)
	other.remove()
	require.DirExists(t, p.temp)
	p.remove()
	require.NoDirExists(t, p.temp)
	require.ErrorContains(t, p.join(options{oneFile: true}, "b"),
		"host b does not see the folder of rank 0: choose one that all hosts share")
	p.remove()
}

// When a change is undone, the previous output has its name again.
func TestSwap(t *testing.T) {
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	by := options{oneFile: true, replace: true}
	s := swap{options: by, name: file("name", "old"), temp: file("temp", "new")}
	has := func(want string) {
		content, err := os.ReadFile(s.name)
		require.NoError(t, err)
		require.Equal(t, want, string(content))
	}
	require.NoError(t, s.do())
	has("new")
	s.undo()
	has("old")
	lost := swap{options: by, name: s.name, temp: filepath.Join(folder, "nosuch")}
	require.Error(t, lost.do())
	lost.undo()
	require.FileExists(t, s.name)
	kept := swap{options: by, name: s.name, temp: file("temp", "new")}
	require.NoError(t, kept.do())
	require.NoError(t, kept.keep())
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
