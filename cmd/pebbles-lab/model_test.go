package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/model"
	"github.com/activepebbles/pebbles/route"
)

// predicted is the output of pebbles-lab model with --json.
type predicted struct {
	App         string
	Parameters  string
	Predictions []struct {
		Values map[string]string
		model.Prediction
		Left string `json:"left_out"`
	}
	Crossovers []crossover
}

func predictedBy(t *testing.T, args ...string) (p predicted) {
	require.NoError(t, json.Unmarshal([]byte(succeeds(t, append([]string{"model", "--json"}, args...)...)), &p))
	return p
}

// TestModelPredicts compares the command with the package.
func TestModelPredicts(t *testing.T) {
	p := predictedBy(t, "--parameters", "odin", "--ranks", "64", "--per-host", "4", "--per-process", "1", "--topology",
		"hypercube",
		"--coalesce", "100", "--pebbles", "1024", "--bytes", "16", "--epochs", "3", "--depth", "1", "--termination", "pcx",
		"--hit", "0.25",
		"--compute", "20ns")
	require.Equal(t, "model", p.App)
	require.Equal(t, "odin", p.Parameters)
	require.Len(t, p.Predictions, 1)
	want, err := model.Odin.Predict(model.Job{
		Ranks: 64, Layout: model.Layout{PerProcess: 1, PerHost: 4}, Topology: route.Hypercube, Coalesce: 100, Pebbles: 1024,
		Bytes:  16,
		Epochs: 3, Depth: 1, Detector: "pcx", Hit: 0.25, Compute: 20e-9,
	})
	require.NoError(t, err)
	require.InEpsilon(t, want.Seconds, p.Predictions[0].Seconds, 1e-12)
	require.InEpsilon(t, want.Frames, p.Predictions[0].Frames, 1e-12)
	require.InEpsilon(t, want.Merged, p.Predictions[0].Merged, 1e-12)
	require.Equal(t, "pcx", p.Predictions[0].Detector)
}

// TestModelBoundsBuffers requires buffers of 1,024 pebbles or 128 KiB without a coalescing factor, also in sweeps.
func TestModelBoundsBuffers(t *testing.T) {
	for args, want := range map[string][]float64{
		"--bytes 8":                             {1024 * 8},
		"--bytes 512":                           {128 << 10},
		"--bytes 1000000":                       {1000000},
		"--bytes 512 --coalesce 1024":           {512 << 10},
		"--sweep bytes=8,128,4096":              {1024 * 8, 128 << 10, 128 << 10},
		"--sweep bytes=8,4096 --coalesce 1024":  {1024 * 8, 4 << 20},
		"--bytes 512 --sweep coalesce=1024,128": {512 << 10, 64 << 10},
	} {
		p := predictedBy(t, append([]string{"--parameters", "odin", "--ranks", "2"}, strings.Fields(args)...)...)
		require.Len(t, p.Predictions, len(want))
		for i, bytes := range want {
			require.Equal(t, bytes, p.Predictions[i].BufferBytes, "%s, row %d", args, i)
		}
	}
}

// TestModelSweeps requires that a sweep has every combination, omits impossible ones, and reports crossovers.
func TestModelSweeps(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "plots")
	args := []string{"--parameters", "odin", "--per-host", "4", "--per-process", "1", "--pebbles", "1024", "--sweep",
		"ranks=16,64,1024",
		"--sweep", "topology=direct,mesh:2,mesh:8x8", "--plot", folder}
	p := predictedBy(t, args...)
	require.Len(t, p.Predictions, 9)
	left := 0
	for i, one := range p.Predictions {
		require.Equal(t, map[string]string{
			"ranks": []string{"16", "64", "1024"}[i/3], "topology": []string{"direct", "mesh:2", "mesh:8x8"}[i%3],
		}, one.Values)
		if one.Left != "" {
			require.Contains(t, one.Left, "multiply to 64")
			left++
		}
	}
	require.Equal(t, 2, left)
	require.Equal(t, []crossover{
		{Axis: "ranks", Slower: "direct", Faster: "mesh:2", At: "16"}, {Axis: "ranks", Slower: "direct", Faster: "mesh:8x8",
			At: "64"},
	}, p.Crossovers)
	for _, name := range []string{"predicted-time.svg", "predicted-frames.svg", "predicted-buffers.svg"} {
		picture, err := os.ReadFile(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Contains(t, string(picture), "mesh:2")
	}
	text := succeeds(t, append([]string{"model"}, args...)...)
	require.Regexp(t, `(?m)^ranks +topology +time +pebbles +overhead +gap +bytes +latency +termination +frames +buffers +memory +hops$`, text)
	require.Regexp(t, `(?m)^1024 +direct .* 1023 +`, text)
	require.Contains(t, text, "\nmesh:2 is faster than direct from 16 ranks on\n")
}

// TestModelOfManyRanks requires that many ranks take no time.
func TestModelOfManyRanks(t *testing.T) {
	p := predictedBy(t, "--parameters", "odin", "--ranks", "65536", "--per-host", "64", "--topology", "mesh:16", "--even",
		"--pebbles", "65535")
	require.Equal(t, 16, p.Predictions[0].Buffers)
	require.InEpsilon(t, 65536*16*32, p.Predictions[0].Frames, 0.15,
		"each of 16 links carries 32,768 pebbles in buffers of 1,024")
	require.False(t, p.Predictions[0].Exact)
}

// TestModelAgainstRuns requires that a job forwards the model's number of pebbles, and that no link has fewer frames
// than predicted. Idle ranks may send more.
func TestModelAgainstRuns(t *testing.T) {
	for _, topology := range []string{"direct", "hypercube", "mesh:3", "tree", "ring", "torus:2x4"} {
		run := commandtest.Report(t, succeeds(t, "alltoall", "--json", "--ranks", "8", "--rounds", "300", "--coalesce", "64",
			"--due", "never", "--topology", topology))
		p := predictedBy(t, "--parameters", "odin", "--ranks", "8", "--even", "--pebbles", "2100", "--bytes", "32",
			"--coalesce", "64",
			"--topology", topology).Predictions[0]
		require.EqualValues(t, 300*7*8, run.Counters.PebblesSent)
		require.InDelta(t, float64(run.Counters.Forwarded), p.Forwarded, 1e-6, topology)
		require.GreaterOrEqual(t, float64(run.Counters.FramesSent), p.Frames-1e-6, topology)
	}
}

func TestModelExplains(t *testing.T) {
	text := succeeds(t, "model", "--parameters", "odin", "--explain")
	for _, source := range []string{"Active Pebbles, 3.3", "3.4", "3.5", "3.6", "TRAM, table I", "TRAM, V.A"} {
		require.Contains(t, text, source)
	}
	require.Regexp(t, `(?m)^frames +12$`, succeeds(t, "model", "--parameters", "odin", "--even", "--pebbles", "3"))
}

func TestModelMistakes(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	damaged := filepath.Join(t.TempDir(), "damaged.json")
	require.NoError(t, os.WriteFile(damaged, []byte(`{"format": 7}`), 0o644))
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, m := range []struct {
		line   string
		status int
		says   []string
	}{
		{"model --parameters " + pipe, 1, []string{"pipe is not a regular file"}},
		{"randomaccess --profile " + pipe, 2, []string{"--profile", "pipe is not a regular file"}},
		{"model", 1, []string{"run pebbles-lab fit first", "bluegene-q or odin"}},
		{"model --parameters nosuch.json", 1, []string{"nosuch.json", "run pebbles-lab fit"}},
		{"model --parameters " + damaged, 1, []string{"damaged.json", "format 7", "run pebbles-lab fit again"}},
		{"model --parameters odin --sweep topology=direct,ring --plot plots", 1, []string{"--plot", "numbers"}},
		{"fit --transport mem --out " + damaged + "/below", 1, []string{"can't write"}},
	} {
		r := typed(m.line)
		require.Equal(t, m.status, r.Status, "%s\n%s", m.line, r.Stderr)
		require.Equal(t, 1, strings.Count(r.Stderr, "\n"), "%s\n%s", m.line, r.Stderr)
		for _, word := range m.says {
			require.Contains(t, r.Stderr, word, m.line)
		}
	}
}
