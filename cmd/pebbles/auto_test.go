package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/tune"
)

// configured gives the test a folder of its own for what commands keep.
func configured(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
}

// Every application runs with all that can be tuned left to the job, alone and simulated, and says what it chose.
func TestAuto(t *testing.T) {
	configured(t)
	for _, app := range [][]string{
		{"randomaccess", "--log2-words", "10"}, {"permutation", "--log2-elements", "10"}, {"pointerchase"},
		{"bfs", "--kronecker", "8", "--roots", "2"}, {"alltoall", "--rounds", "1000"}, {"reduce", "--items", "5000"}, {"ping", "--messages", "20000"}, {"uts", "--in-memory", "--depth", "5"},
	} {
		for _, before := range [][]string{nil, {"sim"}} {
			line := with(append(before, app...), "--ranks", "4", "--topology", "auto", "--coalesce", "auto", "--cache", "auto")
			r := reported(t, line...)
			require.NotNil(t, r.Tuned, line)
			require.NotEmpty(t, r.Tuned.Reason, line)
			require.Equal(t, "direct", r.Tuned.Setting.Topology, line)
		}
	}
	little := []string{"randomaccess", "--log2-words", "10", "--ranks", "2"}
	require.Contains(t, succeeds(t, with(little, "--coalesce", "auto")...), "tuned")
	require.Nil(t, reported(t, little...).Tuned)
}

// What pebbles tune has kept for an application is what auto begins with, for that very job.
func TestAutoBeginsWithTheProfile(t *testing.T) {
	configured(t)
	job := []string{"randomaccess", "--ranks", "2", "--log2-words", "8"}
	succeeds(t, append([]string{"tune", "--quiet", "--runs", "2"}, job...)...)
	place, err := profilePlace("randomaccess")
	require.NoError(t, err)
	text, err := os.ReadFile(place)
	require.NoError(t, err)
	p, err := tune.DecodeProfile(text)
	require.NoError(t, err)
	keep := func(factor int, place string) {
		p.Setting.Coalesce = factor
		text, err := p.Encode()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(place, text, 0o600))
	}
	begun := func(more ...string) int {
		return reported(t, with(with(job, "--coalesce", "auto"), more...)...).Tuned.Setting.Coalesce
	}
	keep(333, place)
	require.Equal(t, 333, begun())
	require.Contains(t, reported(t, with(job, "--coalesce", "auto")...).Tuned.Reason, "known from runs before this one")
	require.Equal(t, 1024, begun("--updates-per-word", "8"), "another job")
	other := filepath.Join(t.TempDir(), "other.json")
	keep(444, other)
	require.Equal(t, 444, begun("--profile", other))
}
