package record

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// small is a record of a few lines, and where its lines end.
func small(t testing.TB) (name string, text []byte, ends []int) {
	o := newOne(t, 2, 0)
	for s := range 3 {
		require.NoError(t, o.live(s, 1))
	}
	require.NoError(t, o.Failed(after(3), "handler of \"update\" panics: index out of range", 0))
	require.NoError(t, o.Close(after(3), "failed"))
	path, text := onlyFile(t, o.dir)
	for i, c := range text {
		if c == '\n' {
			ends = append(ends, i)
		}
	}
	require.Len(t, ends, 1+3*3+2)
	return filepath.Base(path), text, ends
}

// lines are the lines that scan finds, and the damage.
func lines(t testing.TB, text []byte) (all [][]byte, bad []damage) {
	t.Helper()
	err := scan(bytes.NewReader(text), func(kind string, says []byte) {
		all = append(all, append([]byte(kind+" "), says...))
	}, func(d damage) { bad = append(bad, d) })
	require.NoError(t, err)
	return all, bad
}

func TestCutAtEveryByte(t *testing.T) {
	name, text, ends := small(t)
	whole, _ := lines(t, text)
	for cut := range text {
		before := 0
		for before < len(ends) && ends[before] <= cut { // the newline itself may be missing
			before++
		}
		got, bad := lines(t, text[:cut])
		require.Equal(t, bytes.Join(whole[:before], nil), bytes.Join(got, nil), "cut at %d", cut)
		if cut > 0 && text[cut-1] != '\n' && text[cut] != '\n' {
			require.Len(t, bad, 1)
			require.True(t, bad[0].last)
		} else {
			require.Empty(t, bad)
		}
	}
	dir := t.TempDir()
	cut := ends[6] + 10
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), text[:cut], 0o600))
	record := reread(t, dir)
	require.Len(t, record.Problems, 1)
	want := fmt.Sprintf("%s: the last line is cut: 9 bytes from offset %d on, after second 2", name, ends[6]+1)
	require.Equal(t, want, record.Problems[0])
	require.Equal(t, Killed, record.Ending.Kind)
}

// Whatever byte is damaged, one line is lost at most, and it is named.
func TestFlippedBytes(t *testing.T) {
	_, text, _ := small(t)
	whole, _ := lines(t, text)
	known := map[string]bool{}
	for _, line := range whole {
		known[string(line)] = true
	}
	random := newRandom(t)
	for at := range text {
		for _, bit := range []int{5, random.IntN(8)} { // 5 makes other letters of letters
			damaged := bytes.Clone(text)
			damaged[at] ^= 1 << bit
			got, bad := lines(t, damaged)
			require.GreaterOrEqual(t, len(got), len(whole)-1, "byte %d bit %d", at, bit)
			require.Len(t, bad, 1, "byte %d bit %d", at, bit)
			require.LessOrEqual(t, bad[0].offset, int64(at))
			require.GreaterOrEqual(t, bad[0].offset+bad[0].bytes, int64(at))
			for _, line := range got {
				require.True(t, known[string(line)])
			}
		}
	}
}

// A damaged line of a rank harms its counters only until its next whole line.
func TestWholeLinesHeal(t *testing.T) {
	o := newOne(t, 1, 0)
	for s := range 2 * wholeEvery {
		require.NoError(t, o.live(s, 1))
	}
	path, text := onlyFile(t, o.dir)
	at := bytes.Index(text, []byte(`rank {"n":7,`))
	text[at+20] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	record := o.read(64)
	require.Len(t, record.Problems, 1)
	require.Contains(t, record.Problems[0], "1 line is damaged")
	require.Contains(t, record.Problems[0], "after second 7")
}

func TestHostileLines(t *testing.T) {
	for _, text := range []string{
		"", "\n\n\n", strings.Repeat("x", 3*lineMax), strings.Repeat("00000000 65536 x", 10_000), "00000000 0 \n",
		"00000000 99999999999999999999 x\n", "ffffffff -1 x\n", strings.Repeat("\x00", 1<<20),
	} {
		got, bad := lines(t, []byte(text))
		require.Empty(t, got)
		require.LessOrEqual(t, len(bad), 1)
	}
	long := appendLine(nil, "long", strings.Repeat("x", lineMax-7))
	got, bad := lines(t, append(long, long...))
	require.Len(t, got, 2)
	require.Empty(t, bad)
	got, bad = lines(t, appendLine(nil, "long", strings.Repeat("x", lineMax)))
	require.Empty(t, got)
	require.Len(t, bad, 1)
}

func TestNothingToRead(t *testing.T) {
	_, err := Read(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600))
	_, err = Read(dir)
	require.ErrorContains(t, err, "holds no record")
	for _, text := range []string{"", "rubbish"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName("j", 0, 0)), []byte(text), 0o600))
		_, err = Read(dir)
		require.ErrorContains(t, err, "no line of a record that can be read")
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, segmentName("j", 1, 0)), 0o700))
	_, err = Read(dir)
	require.ErrorContains(t, err, "no line of a record that can be read")
}
