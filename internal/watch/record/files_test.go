package record

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnotherJobsRecord(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "if need be")
	w := create(t, dir, jobOf("j1", 2, 1), 0, 0)
	require.NoError(t, w.Close(began, ""))

	_, err := Create(dir, jobOf("j2", 2, 1), 1, 0)
	require.ErrorContains(t, err, "holds the record of another job (j1.p00000.000000.rec): give another directory")
	_, err = CreateLauncher(dir, "j2", "bfs", 2, began)
	require.ErrorContains(t, err, "holds the record of another job")
	_, err = Create(dir, jobOf("", 1, 1), 0, 0)
	require.ErrorContains(t, err, "holds the record of another job")
	_, err = Create(dir, jobOf("j1", 2, 1), 0, 0)
	require.ErrorContains(t, err, "is there already: give another directory")
	_, files := written(t, dir)
	require.Equal(t, 1, files, "a refused writer leaves nothing")

	l := createLauncher(t, dir, "j1", "bfs", 2, began)
	require.NoError(t, l.Close(began, ""))
	_, err = CreateLauncher(dir, "j1", "bfs", 2, began)
	require.ErrorContains(t, err, "is there already")
}

// TestStrayFiles requires that files of another job in the folder are reported and not read.
func TestStrayFiles(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for i := range 2 {
		w := create(t, dir, jobOf("j2", 2, 1), i, 0)
		second(t, w, 1, &jobOf("j2", 2, 1).Processes[i])
		require.NoError(t, w.Close(began, ""))
	}
	w := create(t, other, jobOf("j1", 1, 1), 0, 0)
	require.NoError(t, w.Close(began, ""))
	path, text := onlyFile(t, other)
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o600))
	record := reread(t, dir)
	require.Equal(t, "j2", record.Job.ID)
	const problem = "files of another job (j1) are ignored (1): move them to a directory of their own"
	require.Equal(t, []string{problem}, record.Problems)
}

// TestHostsApart requires that the files of hosts without a shared folder are missing until they are copied.
func TestHostsApart(t *testing.T) {
	dir := t.TempDir()
	job := jobOf("j1", 4, 2)
	w := create(t, dir, job, 1, 0)
	second(t, w, 1, &job.Processes[1])
	require.NoError(t, w.Close(after(1), ""))
	record := reread(t, dir)
	require.Equal(t, []string{"the record has nothing of ranks 0-1, 4-7: copy the files of all hosts into one directory"},
		record.Problems)
}

func TestNames(t *testing.T) {
	for _, id := range []string{"a-b_C9", "../../etc/passwd", "", "ä", "a.b", "x\x00", string(make([]byte, 300))} {
		token := tokenOf(id, began, 7)
		for _, process := range []int{0, 7, 123456} {
			name := segmentName(token, process, 3)
			require.Equal(t, filepath.Base(name), name)
			f, ok := parseName(name)
			require.True(t, ok, name)
			require.Equal(t, fileName{name, token, process, 3}, f)
		}
		f, ok := parseName(launcherName(token))
		require.True(t, ok)
		require.Equal(t, fileName{launcherName(token), token, noProcess, 0}, f)
	}
	for _, name := range []string{
		"", ".rec", "x.rec", ".launcher.rec", "j.p1.1.rec", "j.p-0001.000000.rec", "j.p00001.000000",
	} {
		_, ok := parseName(name)
		require.False(t, ok, name)
	}
	require.NotEqual(t, tokenOf("a b", began, 1), tokenOf("a c", began, 1))
}

func TestNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Create(file, jobOf("j1", 1, 1), 0, 0)
	require.ErrorContains(t, err, "make the folder of the record")
}
