package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
)

// The page's picture is what the page's command draws: a simulation has one answer.
func TestPictureOfContagion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "curve.svg")
	succeeds(t, "contagion", "--people", "20000", "--days", "100", "--curve", file, "--ranks", "3")
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	want, err := os.ReadFile(filepath.Join("..", "..", "docs", "pictures", "contagion.svg"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "docs/pictures/contagion.svg is out of date")
}

// The command has Loimos's own curve, to the line, and writes the same files from two processes as from one.
func TestContagionFiles(t *testing.T) {
	disease := appstest.Data(t, "loimos/covid19_onepath.textproto")
	want, err := os.ReadFile(appstest.Data(t, "loimos/test-syn.csv"))
	require.NoError(t, err)
	files := []string{"curve.csv", "curve.json", "curve.svg", "tree.csv", "tree.json"}
	var first [][]byte
	for _, procs := range []string{"1", "2"} {
		folder := t.TempDir()
		in := func(name string) string { return filepath.Join(folder, name) }
		line := []string{"contagion", "--loimos", "--seed", "0", "--disease", disease, "--procs", procs}
		succeeds(t, with(line, "--curve", in("curve.csv"), "--curve", in("curve.json"), "--curve", in("curve.svg"),
			"--curve", in("curve.avro"), "--infections", in("tree.csv"))...)
		succeeds(t, with(line, "--infections", in("tree.json"))...)
		var all [][]byte
		for _, name := range files {
			text, err := os.ReadFile(in(name))
			require.NoError(t, err)
			require.NotEmpty(t, text)
			all = append(all, text)
		}
		require.Equal(t, string(want), string(all[0]))
		if first == nil {
			first = all
		}
		require.Equal(t, first, all)
		require.FileExists(t, in("curve.avro"))
	}
}
