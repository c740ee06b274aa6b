package kubernetes

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scenario"
)

func job() Job {
	return Job{Name: "words", Image: "example.org/words:v1", Processes: 4, Port: Port, StartLimit: StartLimit,
		GracePeriod: GracePeriod}
}

// golden returns the contents of a file of testdata.
func golden(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(text)
}

// TestWrite compares whole manifests. The module in apitest checks that Kubernetes accepts them.
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
	require.Equal(t, golden(t, "Dockerfile.golden"), b.String())
	for _, good := range []string{".", "./", "./a", "./a/b-c_d/..e"} {
		require.NoError(t, WriteDockerfile(&b, good), good)
	}
	for _, bad := range []string{"", "a", "/a", "..", "../a", "./a/../../b", "./...", "./a/...", "-o", "./a b", `./a"`,
		"./a\n", "./a;b", ".a"} {
		require.ErrorContains(t, WriteDockerfile(&b, bad), "is not a package of the folder that the image is built "+
			"from", bad)
	}
}

// The file of testdata changes a good job, and shows the errors. Texts that need quotes have them as in Go.
func TestScenarios(t *testing.T) {
	scenario.Run(t, func(t *testing.T, l *scenario.Log) scenario.Verbs {
		return scenario.Verbs{"job": func(c *scenario.Command) {
			j := job()
			for _, to := range []struct {
				key string
				is  *string
			}{
				{"name", &j.Name}, {"namespace", &j.Namespace}, {"image", &j.Image}, {"program", &j.Program},
				{"cpu", &j.CPU}, {"memory", &j.Memory},
			} {
				*to.is = unquoted(t, c.Text(to.key, *to.is))
			}
			j.Processes, j.Ranks, j.Port = c.Int("processes", j.Processes), c.Int("ranks", j.Ranks), c.Int("port", j.Port)
			j.StartLimit = scenarioTime(t, c.Text("start-limit", j.StartLimit.String()))
			j.GracePeriod = scenarioTime(t, c.Text("grace-period", j.GracePeriod.String()))
			for c.More() {
				j.Arguments = append(j.Arguments, unquoted(t, c.Word("argument")))
			}
			var b strings.Builder
			if err := j.Write(&b, [SecretBytes]byte{}); err != nil {
				require.NotContains(t, err.Error(), "\n", "one sentence")
				require.Empty(t, b.String())
				l.Say("%v", err)
			} else {
				l.Say("good")
			}
		}}
	})
}

func unquoted(t *testing.T, text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	text, err := strconv.Unquote(text)
	require.NoError(t, err)
	return text
}

func scenarioTime(t *testing.T, text string) time.Duration {
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

type full struct{}

var errFull = errors.New("no space")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteThatFails(t *testing.T) {
	require.ErrorIs(t, job().Write(full{}, [SecretBytes]byte{}), errFull)
	require.ErrorIs(t, WriteDockerfile(full{}, "."), errFull)
}
