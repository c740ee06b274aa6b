package jobs

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// refused requires that neither side uses a folder, and that it stays empty.
func refused(t *testing.T, dir, why string) {
	t.Helper()
	forget, err := Announce(Entry{URL: "http://127.0.0.1:1/?token=secret"})
	require.ErrorContains(t, err, why)
	require.NotContains(t, err.Error(), "secret")
	forget()
	all, err := List()
	require.ErrorContains(t, err, why)
	require.ErrorContains(t, err, dir)
	require.Empty(t, all)
}

func TestHostileFolder(t *testing.T) {
	_, dir := fresh(t)
	t.Setenv("XDG_RUNTIME_DIR", "")

	elsewhere := t.TempDir()
	require.NoError(t, os.Chmod(elsewhere, 0o700))
	require.NoError(t, os.Symlink(elsewhere, dir))
	refused(t, dir, "is a symbolic link")
	require.Empty(t, names(t, elsewhere))
	require.NoError(t, os.Remove(dir))

	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "absent"), dir))
	refused(t, dir, "is a symbolic link")
	require.NoError(t, os.Remove(dir))

	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	refused(t, dir, "is not a folder")
	require.NoError(t, os.Remove(dir))

	require.NoError(t, os.Mkdir(dir, 0o700))
	for _, open := range []os.FileMode{0o777, 0o755, 0o750, 0o701, 0o1777} {
		require.NoError(t, os.Chmod(dir, open))
		refused(t, dir, "is open to other users")
		require.Empty(t, names(t, dir))
	}
	require.NoError(t, os.Chmod(dir, 0o700))
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	require.NoError(t, os.Chown(dir, 12345, 12345))
	refused(t, dir, "is another user's")
	require.Empty(t, names(t, dir))
}

// TestHostileFolderBesideGood requires that the jobs of the other folder are still listed.
func TestHostileFolderBesideGood(t *testing.T) {
	_, dir := fresh(t)
	announce(t, Entry{Job: "good"})
	require.NoError(t, os.Symlink("/", dir))
	all, err := List()
	require.ErrorContains(t, err, "is a symbolic link")
	require.Len(t, all, 1)
}

func TestDamagedFiles(t *testing.T) {
	dir, _ := fresh(t)
	announce(t, Entry{Job: "good"})
	damaged := map[string]string{
		"job-empty.json": "", "job-cut.json": `{"pid": 12`, "job-list.json": "[]", "job-null.json": "null",
		"job-none.json": "{}", "job-negative.json": `{"pid":-1,"process":{"start":"1"}}`, "job-huge.json": `{"pid":1e400}`,
		"job-long.json": `{"program":"` + strings.Repeat("x", fileMost) + `"}`,
	}
	for name, text := range damaged {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "job-pipe.json"), 0o600))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "job-link.json")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "job-folder.json"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "another"), []byte("that nobody reads"), 0o600))
	all, err := List()
	require.Len(t, all, 1)
	for name := range damaged {
		require.ErrorContains(t, err, filepath.Join(dir, name))
		require.FileExists(t, filepath.Join(dir, name), "what is not understood is not removed")
	}
	for _, name := range []string{"job-pipe.json", "job-link.json", "job-folder.json"} {
		require.ErrorContains(t, err, name)
	}
	require.NotContains(t, err.Error(), "another")
	require.NotContains(t, err.Error(), "good")
}

// TestUnfinishedFile requires that a file in progress is kept, and that an abandoned one is removed.
func TestUnfinishedFile(t *testing.T) {
	dir, _ := fresh(t)
	announce(t, Entry{})
	fresh, old := filepath.Join(dir, "new-FRESH"), filepath.Join(dir, "new-OLD")
	for _, name := range []string{fresh, old} {
		require.NoError(t, os.WriteFile(name, []byte("{"), 0o600))
	}
	before := time.Now().Add(-2 * begunMost)
	require.NoError(t, os.Chtimes(old, before, before))
	require.Len(t, list(t), 1)
	require.FileExists(t, fresh)
	require.NoFileExists(t, old)
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	fresh(t)
	t.Setenv("XDG_RUNTIME_DIR", "")
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	t.Setenv("XDG_CACHE_HOME", file)
	_, err := Announce(Entry{})
	require.ErrorContains(t, err, "not a directory")
}

// TestAtOnce announces, lists and forgets on many goroutines: no list is ever torn.
func TestAtOnce(t *testing.T) {
	dir, _ := fresh(t)
	const each = 50
	var all, lists sync.WaitGroup
	over := make(chan struct{})
	for range 2 {
		lists.Go(func() {
			for {
				some, err := List()
				if err != nil {
					t.Error(err)
				}
				for _, e := range some {
					if e.Ranks != 7 {
						t.Errorf("a torn entry: %+v", e)
					}
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	for range 4 {
		all.Go(func() {
			for range each {
				forget, err := Announce(Entry{Ranks: 7})
				if err != nil {
					t.Error(err)
				}
				forget()
			}
		})
	}
	all.Wait()
	close(over)
	lists.Wait()
	require.Empty(t, names(t, dir))
}
