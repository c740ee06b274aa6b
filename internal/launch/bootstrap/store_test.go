package bootstrap

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFolder(t *testing.T) {
	folder := t.TempDir()
	w := newWorld(20)
	var mu sync.Mutex
	var stores []*FolderStore
	w.exchange = func(ctx context.Context, i int, c Config) (*Job, error) {
		b := NewFolderStore(folder, "job-7.0")
		mu.Lock()
		stores = append(stores, b)
		mu.Unlock()
		return Exchange(ctx, c, b)
	}
	w.run(t.Context())
	w.requireJob(t)
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, files, 20)
	for _, f := range files {
		info, err := f.Info()
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode())
		text, err := os.ReadFile(filepath.Join(folder, f.Name()))
		require.NoError(t, err)
		require.NotContains(t, string(text), string(w.jobs[0].Secret))
	}
	for _, b := range stores {
		require.NoError(t, b.Remove())
		require.NoError(t, b.Remove(), "again")
	}
	files, err = os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, files)
}

func TestFoldersThatDoNotServe(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	b := NewFolderStore(folder, "j")
	require.NoError(t, b.Publish(ctx, 3, "entry"))
	err := NewFolderStore(folder, "j").Publish(ctx, 3, "entry")
	require.ErrorContains(t, err, "pebbles-j.3 is there already: two processes have number 3, or "+
		"a job of the same name was killed (then remove the file)")
	require.NoError(t, b.Remove())

	err = NewFolderStore(filepath.Join(folder, "none"), "j").Publish(ctx, 0, "entry")
	require.ErrorContains(t, err, "no such file or directory; name a folder that all hosts share "+
		"and this user may write to, by PEBBLES_RENDEZVOUS_DIR")

	name := filepath.Join(folder, "pebbles-j.0")
	require.NoError(t, os.WriteFile(name, []byte("pebbles-1,"), 0o600)) // incomplete
	late, cancel := context.WithTimeoutCause(ctx, time.Millisecond, errors.New("it is late"))
	defer cancel()
	_, err = b.Lookup(late, 0)
	require.ErrorContains(t, err, "it is late; was process 0 started, and do all hosts share this folder "+
		"(PEBBLES_RENDEZVOUS_DIR)?")
	require.NoError(t, os.WriteFile(name, []byte("entry\n"), 0o600))
	text, err := b.Lookup(ctx, 0)
	require.NoError(t, err)
	require.Equal(t, "entry", text)
	require.NoError(t, os.Chmod(name, 0o644))
	_, err = b.Lookup(ctx, 0)
	require.ErrorContains(t, err, "is not a file of this user's alone")
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Symlink("/etc/passwd", name))
	_, err = b.Lookup(ctx, 0)
	require.ErrorContains(t, err, "read the address of process 0")
}

// An entry is a regular file: a link, to any target, was made by another user.
func TestEntriesBehindLinks(t *testing.T) {
	folder := t.TempDir()
	own := filepath.Join(folder, "own")
	require.NoError(t, os.WriteFile(own, []byte("entry\n"), 0o600))
	require.NoError(t, os.Symlink(own, filepath.Join(folder, "pebbles-j.0")))
	_, err := NewFolderStore(folder, "j").Lookup(t.Context(), 0)
	require.ErrorContains(t, err, "read the address of process 0")
}
