package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/lab"
)

// Results are rendered into the section of their name; a second rendering replaces the first.
func TestResultsAreRendered(t *testing.T) {
	r, err := lab.Read("../results/suite.json")
	require.NoError(t, err)
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, render(page, "suite", r))
	first, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(first), "<!-- begin suite -->")
	require.Contains(t, string(first), "](plots/suite/randomaccess.svg)")
	require.FileExists(t, filepath.Join(filepath.Dir(page), "plots", "suite", "randomaccess.svg"))
	require.NoError(t, render(page, "suite", r))
	second, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second))
}
