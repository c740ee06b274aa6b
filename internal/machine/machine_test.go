package machine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/model"
)

func TestMachine(t *testing.T) {
	m := This()
	require.Equal(t, runtime.NumCPU(), m.Cores)
	require.Contains(t, m.String(), runtime.Version())
	if runtime.GOOS == "linux" {
		require.Greater(t, m.Memory, int64(1<<20))
		require.NotEmpty(t, m.Kernel)
	}
	require.Empty(t, procLine("/no/such/file", "x"))
	require.Equal(t, "E, 2 cores, 1.5 GiB, kernel 6, go1, linux/amd64",
		Machine{CPU: "E", Cores: 2, Memory: 3 << 29, Kernel: "6", Go: "go1", System: "linux/amd64"}.String())
}

func TestParameters(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "folder", "parameters.json")
	_, err := ReadParameters(name)
	require.ErrorContains(t, err, "run pebbles-lab fit first")
	f := model.File{Format: model.FileFormat, Machine: "E", Parameters: model.Odin}
	require.NoError(t, WriteParameters(name, f))
	back, err := ReadParameters(name)
	require.NoError(t, err)
	require.Equal(t, f, back)
	left, err := os.ReadDir(filepath.Dir(name))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside the file")
	require.NoError(t, os.WriteFile(name, []byte("{}"), 0o644))
	_, err = ReadParameters(name)
	require.ErrorContains(t, err, name)
	require.ErrorContains(t, err, "not a file of parameters")
	_, err = ReadParameters(filepath.Dir(name))
	require.ErrorContains(t, err, "read the parameters")
	require.ErrorContains(t, WriteParameters(filepath.Join(name, "below", "a file"), f), "name another file")
	f.Parameters.Frame = -1
	require.ErrorContains(t, WriteParameters(name, f), "frame is -1")
}

func TestParametersFile(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, folder)
	}
	name, err := ParametersFile()
	require.NoError(t, err)
	require.Contains(t, name, folder)
	require.Equal(t, "parameters.json", filepath.Base(name))
}

// A file that can't be written is reported before a measurement if possible, and an existing file stays.
func TestUnwritable(t *testing.T) {
	require.ErrorIs(t, Writable("/no/such/folder/r.json"), os.ErrNotExist)
	dir := t.TempDir()
	require.ErrorContains(t, Writable(dir), "is a folder: name a file")
	require.NoError(t, Writable(""))
	require.NoError(t, Writable(filepath.Join(dir, "new.json")))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left, "looking leaves nothing behind")
	if _, err := os.Stat("/dev/full"); err == nil {
		require.NoError(t, Writable("/dev/full"), "only writing tells that it is full")
	}
	target := filepath.Join(dir, "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(target, "inside"), 0o700))
	require.Error(t, WriteFile(target, []byte("x")))
	left, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "a part of a file is left behind")
}

// A program's answer is read by the names of its fields, and its errors are reported.
func TestAsk(t *testing.T) {
	var told struct{ Seconds float64 }
	out, err := Ask(t.Context(), time.Minute, []string{"SECONDS_=2"}, &told, "sh", "-c", `echo "{\"seconds\": $SECONDS_}"`)
	require.NoError(t, err)
	require.EqualValues(t, 2, told.Seconds)
	require.Positive(t, out.Took)
	_, err = Ask(t.Context(), 0, nil, &told, "sh", "-c", "echo lost >&2; exit 3")
	require.ErrorContains(t, err, "exit status 3; it said:\nlost")
	_, err = Run(t.Context(), time.Nanosecond, nil, "sleep", "1000")
	require.ErrorContains(t, err, "not done after the limit of 1ns, and ended")

	a, err := Parse([]byte(`{"errors": 0, "seconds": 1.5, "counters": {"sent": 18446744073709551615, "name": "x"}}`))
	require.NoError(t, err)
	require.NoError(t, a.Verified())
	seconds, err := a.Number("seconds")
	require.NoError(t, err)
	require.EqualValues(t, 1.5, seconds)
	require.Equal(t, map[string]json.Number{"sent": "18446744073709551615"}, a.Counters())
	exact, err := a.Exact([]string{"counters.sent"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"counters.sent": "18446744073709551615"}, exact)
	_, err = a.Exact([]string{"seconds.none"})
	require.ErrorContains(t, err, "is missing")
	_, err = a.Number("counters.name")
	require.ErrorContains(t, err, "not a number")
	require.ErrorContains(t, Answer{"errors": json.Number("2")}.Verified(), "its work is wrong")
	for text, why := range map[string]string{"no JSON": "no JSON object", "null": "no JSON object",
		"{} {}": "more than one"} {
		_, err := Parse([]byte(text))
		require.ErrorContains(t, err, why)
	}
}
