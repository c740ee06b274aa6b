package record

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// small returns a record of a few lines.
func small(t testing.TB) (name string, text []byte) {
	o := newOne(t, 2, 0)
	for s := range 3 {
		require.NoError(t, o.live(s, 1))
	}
	require.NoError(t, o.Failed(after(3), "handler of \"update\" panics: index out of range", 0))
	require.NoError(t, o.Close(after(3), "failed"))
	path, text := onlyFile(t, o.dir)
	require.Equal(t, 1+3*3+2, bytes.Count(text, []byte("\n")))
	return filepath.Base(path), text
}

// readText reads a record of one file with the given text.
func readText(t *testing.T, name string, text []byte) (*reading, error) {
	t.Helper()
	f, ok := parseName(name)
	require.True(t, ok)
	r := newReading()
	r.begin(f)
	return r, r.scan(f, bytes.NewReader(text))
}

// TestCutAtEveryByte cuts a file at any byte: the lines before are read.
func TestCutAtEveryByte(t *testing.T) {
	name, text := small(t)
	for cut := range text {
		whole := bytes.Count(text[:cut], []byte("\n"))
		r, err := readText(t, name, text[:cut])
		require.NoError(t, err)
		switch {
		case cut == 0 || text[cut-1] == '\n' || text[cut] == '\n': // only the newline may be missing
			require.Empty(t, r.problems.list)
		default:
			require.Equal(t, whole, r.lines)
			require.Len(t, r.problems.list, 1)
			require.Contains(t, r.problems.list[0], "the last line is cut")
		}
	}
}

// TestDamagedLines requires that damaged lines are skipped and counted, and the lines around them are read.
func TestDamagedLines(t *testing.T) {
	name, text := small(t)
	all := bytes.SplitAfter(text, []byte("\n"))
	all[3] = all[3][:len(all[3])/2] // runs into the next line
	all[6] = []byte("\x00\x00\x00\n")
	all[8] = append(bytes.Repeat([]byte("x"), 3*lineMax), '\n')
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), bytes.Join(all, nil), 0o600))
	record := reread(t, dir)
	require.Equal(t, []string{name + ": 3 lines are damaged, the first is line 4"}, record.Problems)
	require.Len(t, record.Ranks, 2)
	require.Contains(t, record.Ending.Cause, "index out of range")
}

func TestNothingReadable(t *testing.T) {
	dir := t.TempDir()
	_, err := Read(filepath.Join(dir, "none"))
	require.ErrorContains(t, err, "read the folder of the record")
	_, err = Read(dir)
	require.ErrorContains(t, err, "holds no record: give the directory that --record named")
	require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName("j", 0, 0)), []byte("x\n"), 0o600))
	_, err = Read(dir)
	require.ErrorContains(t, err, "holds no readable line of a record")
}

// TestManyProblems requires that a record with many problems lists the first ones.
func TestManyProblems(t *testing.T) {
	var p problems
	for range problemsMost + 3 {
		p.add("a problem")
	}
	require.Len(t, p.all(), problemsMost+1)
	require.Equal(t, "and 3 more problems", p.all()[problemsMost])
}

// TestRankOfAnotherProcess requires that a line of another process's rank is rejected.
func TestRankOfAnotherProcess(t *testing.T) {
	name, text := small(t)
	r, err := readText(t, name, append(text, "{\"rank\":{\"rank\":5}}\n"...))
	require.NoError(t, err)
	require.Equal(t, []string{"process 0: a line of rank 5, which is not its own"}, r.problems.list)
}

// FuzzRead requires that reading and reporting end in order for any files, with memory in proportion to the files.
func FuzzRead(f *testing.F) {
	name, text := small(f)
	f.Add(text)
	f.Add([]byte(`{"rank":{"rank":1048575,"counters":{"bytes_sent":18446744073709551615},` +
		`"events":[{"at":-1e300,"kind":"epoch"}]}}`))
	f.Add([]byte("{\"job\":{\"ranks\":1000000000,\"first\":-5,\"last\":7}}\n" +
		"{\"second\":{\"at\":\"9999-12-31T23:59:59Z\"}}"))
	f.Add([]byte("{\"failed\":{\"of\":-7,\"cause\":\"<script>\"}}\n{\"end\":{\"how\":\"\u001b\"}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, launcherName("j1")), text, 0o600))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		record, err := Read(dir)
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(128<<20+1000*len(text)))
		if err != nil {
			return
		}
		require.NoError(t, record.Text(io.Discard))
		var page bytes.Buffer
		require.NoError(t, record.HTML(&page))
		require.Less(t, page.Len(), 4<<20)
		require.Equal(t, 2, bytes.Count(page.Bytes(), []byte("<script")))
	})
}
