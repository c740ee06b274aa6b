package kubernetes

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func job() Job {
	return Job{Name: "words", Image: "example.org/words:v1", Processes: 4, Port: Port, StartLimit: StartLimit,
		GracePeriod: GracePeriod}
}

// golden is what a file of testdata has.
func golden(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// TestWrite has whole manifests. That they are what Kubernetes takes is for the module in apitest to say.
func TestWrite(t *testing.T) {
	j := job()
	j.Namespace, j.Ranks, j.CPU, j.Memory, j.Program, j.Arguments = "team", 16, "4", "8Gi", "/program", []string{"-v",
		`a "b": $(C) {{.Name}}`}
	var b strings.Builder
	require.NoError(t, j.Write(&b, [SecretBytes]byte{0xab, 31: 0xcd}))
	secret := "ab" + strings.Repeat("00", 30) + "cd"
	require.Equal(t, 1, strings.Count(b.String(), secret))
	require.Equal(t, golden(t, "job.yaml"), b.String())

	b.Reset()
	require.NoError(t, job().Write(&b, [SecretBytes]byte{}))
	for _, absent := range []string{"namespace:", "command:", "args:", "PEBBLES_RANKS", "resources:"} {
		require.NotContains(t, b.String(), absent)
	}
}

func TestWriteDockerfile(t *testing.T) {
	var b strings.Builder
	require.NoError(t, WriteDockerfile(&b, "./cmd/program"))
	require.Equal(t, golden(t, "Dockerfile.txt"), b.String())
	for _, good := range []string{".", "./", "./a", "./a/b-c_d/..e"} {
		require.NoError(t, WriteDockerfile(&b, good), good)
	}
	for _, bad := range []string{"", "a", "/a", "..", "../a", "./a/../../b", "./...", "./a/...", "-o", "./a b", `./a"`,
		"./a\n", "./a;b", ".a"} {
		require.ErrorContains(t, WriteDockerfile(&b, bad), "is no package of the folder that the image is made from", bad)
	}
}

// TestCheck changes a good job in one way at a time.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		change func(*Job)
		says   string // empty: it remains good
	}{
		{func(*Job) {}, ""},
		{func(j *Job) { j.Name = "" }, `name "" can't be that of a Service`},
		{func(j *Job) { j.Name = "Words" }, "can't be that of a Service"},
		{func(j *Job) { j.Name = "1words" }, "begin with a letter"},
		{func(j *Job) { j.Name = "-words" }, "begin with a letter"},
		{func(j *Job) { j.Name = "words-" }, "don't end with -"},
		{func(j *Job) { j.Name = "wörds" }, "can't be that of a Service"},
		{func(j *Job) { j.Name = "a.b" }, "can't be that of a Service"},
		{func(j *Job) { j.Name = "a\n" }, "can't be that of a Service"},
		{func(j *Job) { j.Name = "w" }, ""},
		{func(j *Job) { j.Name = "w--1" }, ""},
		{func(j *Job) { j.Name = strings.Repeat("w", 61) }, ""},
		{func(j *Job) { j.Name = strings.Repeat("w", 62) },
			"host name is " + strings.Repeat("w", 62) + "-3, which has 64 letters, and 63 are allowed"},
		{func(j *Job) { j.Name, j.Processes = strings.Repeat("w", 61), 11 }, "-10, which has 64 letters"},
		{func(j *Job) { j.Namespace = "1team" }, ""},
		{func(j *Job) { j.Namespace = strings.Repeat("t", 63) }, ""},
		{func(j *Job) { j.Namespace = strings.Repeat("t", 64) }, "can't be one"},
		{func(j *Job) { j.Namespace = "Team" }, `namespace "Team" can't be one`},
		{func(j *Job) { j.Processes = 0 }, "0 processes are not a job: give 1 to 65536"},
		{func(j *Job) { j.Processes = -1 }, "-1 processes are not a job"},
		{func(j *Job) { j.Processes = 65536 }, ""},
		{func(j *Job) { j.Processes = 65537 }, "65537 processes are not a job"},
		{func(j *Job) { j.Ranks = 4 }, ""},
		{func(j *Job) { j.Ranks = 3 }, "3 ranks don't fit 4 processes"},
		{func(j *Job) { j.Ranks = -1 }, "-1 ranks don't fit"},
		{func(j *Job) { j.Ranks = 1<<24 + 1 }, "16777217 ranks don't fit"},
		{func(j *Job) { j.Port = 0 }, "port 0"},
		{func(j *Job) { j.Port = 80 }, "without privileges: give one from 1024 to 65535"},
		{func(j *Job) { j.Port = 65536 }, "port 65536"},
		{func(j *Job) { j.StartLimit = 0 }, "start limit of 0s leaves no time to start: give a time such as 5m0s"},
		{func(j *Job) { j.GracePeriod = 0 }, "grace period of 0s"},
		{func(j *Job) { j.GracePeriod = 1500 * time.Millisecond }, "give whole seconds"},
		{func(j *Job) { j.Image = "" }, `image "" can't be one`},
		{func(j *Job) { j.Image = "a b" }, "can't be one"},
		{func(j *Job) { j.Image = "a\xff" }, "can't be one"},
		{func(j *Job) { j.Image = "host:5000/a/b@sha256:0123" }, ""},
		{func(j *Job) { j.Program = "a\x00" }, "without NUL"},
		{func(j *Job) { j.Arguments = []string{"ok", "\xff"} }, `argument "\xff" can't stand in a manifest`},
		{func(j *Job) { j.Arguments = []string{"", "line\nline", "日本", "\u2028"} }, ""},
		{func(j *Job) { j.CPU = "4" }, ""},
		{func(j *Job) { j.CPU = "0.5" }, ""},
		{func(j *Job) { j.CPU = "500m" }, ""},
		{func(j *Job) { j.CPU = "0" }, `"0" is no number of CPUs`},
		{func(j *Job) { j.CPU = "0m" }, "is no number of CPUs"},
		{func(j *Job) { j.CPU = "-1" }, "is no number of CPUs"},
		{func(j *Job) { j.CPU = "four" }, "is no number of CPUs: give one such as 4, or 1500m"},
		{func(j *Job) { j.CPU = "4Gi" }, "is no number of CPUs"},
		{func(j *Job) { j.Memory = "512Mi" }, ""},
		{func(j *Job) { j.Memory = "1.5G" }, ""},
		{func(j *Job) { j.Memory = "8" }, "is no size of memory"},
		{func(j *Job) { j.Memory = "8GiB" }, `"8GiB" is no size of memory for Kubernetes: give one such as 8Gi`},
		{func(j *Job) { j.Memory = "100m" }, "is no size of memory"},
		{func(j *Job) { j.Memory = "0Gi" }, "is no size of memory"},
	} {
		j := job()
		c.change(&j)
		var b strings.Builder
		err := j.Write(&b, [SecretBytes]byte{})
		if c.says == "" {
			require.NoError(t, err, j)
			continue
		}
		require.ErrorContains(t, err, c.says)
		require.NotContains(t, err.Error(), "\n", "one sentence")
		require.Empty(t, b.String())
	}
}

type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteThatFails(t *testing.T) {
	require.ErrorIs(t, job().Write(full{}, [SecretBytes]byte{}), errFull)
	require.ErrorIs(t, WriteDockerfile(full{}, "."), errFull)
}
