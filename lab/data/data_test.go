package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab"
)

// call calls a program with arguments.
func call(t *testing.T, p lab.Program, args ...string) (stdout string, err error) {
	var out, told bytes.Buffer
	err = p.Call(t.Context(), args, &out, &told)
	return out.String(), err
}

// TestMake requires that equal amounts make equal files of the requested size.
func TestMake(t *testing.T) {
	for kind, lines := range map[string]int{
		"reads": 400, "numbers": 1000, "lines": 1000, "orders": 1001, "customers": 1001, // reads: names and 100 bases
	} {
		var made [2][]byte
		for i := range made {
			file := filepath.Join(t.TempDir(), kind)
			_, err := call(t, makeProgram(), "-kind", kind, "-amount", "1000", "-out", file)
			require.NoError(t, err)
			made[i], err = os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, lines, bytes.Count(made[i], []byte("\n")), kind)
		}
		require.True(t, bytes.Equal(made[0], made[1]), kind)
	}
	file := filepath.Join(t.TempDir(), "words")
	_, err := call(t, makeProgram(), "-kind", "words", "-amount", "10000", "-out", file)
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 10000, len(text)-parts, "a line's end after each part")
	for _, args := range [][]string{{"-kind", "words"}, {"-kind", "no", "-amount", "1", "-out", file}} {
		_, err = call(t, makeProgram(), args...)
		require.ErrorAs(t, err, new(lab.UsageError))
	}
}

// TestTime requires that a line's checksum is that of its output, or of the file that it writes, which is then removed.
// A line that fails in any part of a pipe has none.
func TestTime(t *testing.T) {
	one := func(args ...string) timed {
		out, err := call(t, timeProgram(), args...)
		require.NoError(t, err)
		var o timed
		require.NoError(t, json.NewDecoder(strings.NewReader(out)).Decode(&o))
		require.Positive(t, o.Seconds)
		require.Positive(t, o.Counters["resident_bytes"])
		return o
	}
	file := filepath.Join(t.TempDir(), "out")
	printed, written := one("-line", "echo a | cat"), one("-line", "echo a >"+file, "-sum", file)
	require.Equal(t, printed.Checksum, written.Checksum)
	require.NotEqual(t, printed.Checksum, one("-line", "echo b").Checksum)
	require.NoFileExists(t, file)
	for _, line := range []string{"", "false | echo a", "true", "exit 3"} {
		_, err := call(t, timeProgram(), "-line", line)
		require.Error(t, err, line)
	}
	_, err := call(t, timeProgram(), "-line", "true", "-sum", file)
	require.Error(t, err, "a file that is not written")
}

// TestGroups requires that missing programs are left out, with a line, and that others are compared with ours.
func TestGroups(t *testing.T) {
	t.Setenv("PATH", "")
	var told bytes.Buffer
	b := suite{self: "data", programs: "/none", files: "/none", amounts: tiny, leftOut: &told}
	groups := b.groups()
	require.NoError(t, lab.Check(groups))
	require.Contains(t, told.String(), "LEFT OUT: Word count, mawk: there is no mawk")
	require.Contains(t, told.String(), "LEFT OUT: Join files, DuckDB")
	require.Len(t, b.inputs, 6)
	for _, g := range groups {
		for i, c := range g.Cases {
			require.Equal(t, i > 0, c.Against != "", c.Name)
		}
	}
}
