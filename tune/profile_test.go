package tune_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/tune"
)

var job = tune.For{App: "randomaccess --log2-words 20", Ranks: 4, Processes: 2, Transport: "shm", Machine: "a machine"}

func profile(t *testing.T) tune.Profile {
	w := newWorld(t, whole, tune.Config{Start: start, Space: space}, 0, 1)
	w.run(1000)
	best := w.tuner.Setting()
	return tune.Profile{
		Format: tune.ProfileFormat, For: job, Date: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), Setting: best,
		Start: start, Gain: whole(best, 0) / whole(start, 0), Rate: whole(best, 0) / 1e6, Decisions: w.tuner.Log(),
	}
}

func TestProfileComesBack(t *testing.T) {
	p := profile(t)
	text, err := p.Encode()
	require.NoError(t, err)
	back, err := tune.DecodeProfile(text)
	require.NoError(t, err)
	require.Equal(t, p, back)
	require.NoError(t, back.Fits(job))
	require.Greater(t, back.Gain, 1.5)
	require.NotEmpty(t, back.Decisions)
}

func TestProfileRefuses(t *testing.T) {
	p := profile(t)
	text, err := p.Encode()
	require.NoError(t, err)
	for says, spoiled := range map[string]string{
		"not a profile": "hello",
		"give a file":   `{"app": "randomaccess"}`,
		"format 99":     strings.Replace(string(text), `"format": 1`, `"format": 99`, 1),
		"unknown field": strings.Replace(string(text), `"gain"`, `"pain"`, 1),
		"factor -3":     regexp.MustCompile(`"coalesce": \d+`).ReplaceAllString(string(text), `"coalesce": -3`),
	} {
		_, err := tune.DecodeProfile([]byte(spoiled))
		require.ErrorContains(t, err, says)
	}
	p.Setting.Topology = ""
	_, err = p.Encode()
	require.ErrorContains(t, err, "no name")
}

func TestProfileFits(t *testing.T) {
	p := profile(t)
	for says, spoil := range map[string]func(*tune.For){
		"for app randomaccess --log2-words 20, and the job has bfs": func(f *tune.For) { f.App = "bfs" },
		"for ranks 4, and the job has 8":                            func(f *tune.For) { f.Ranks = 8 },
		"for procs 2, and the job has 1":                            func(f *tune.For) { f.Processes = 1 },
		"for transport shm, and the job has tcp":                    func(f *tune.For) { f.Transport = "tcp" },
		"for machine a machine, and the job has another":            func(f *tune.For) { f.Machine = "another" },
	} {
		other := job
		spoil(&other)
		err := p.Fits(other)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, "run pebbles tune")
	}
}

// FuzzDecodeProfile checks that any input is refused with an error, or is a setting that can be run.
func FuzzDecodeProfile(f *testing.F) {
	text, err := tune.Profile{Setting: start, For: job}.Encode()
	require.NoError(f, err)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := tune.DecodeProfile(text)
		if err == nil {
			require.Positive(t, p.Setting.Coalesce)
		}
	})
}
