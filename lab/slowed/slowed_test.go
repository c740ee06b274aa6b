package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSlow(t *testing.T) {
	slowed, loops, err := slow("package a\n\nfunc f() {\n\tfor range 3 {\n\t\tfor i := 0; i < 2; i++ " +
		"{\n\t\t}\n\t}\n\tif true {\n\t}\n}\n")
	require.NoError(t, err)
	require.Equal(t, 2, loops)
	require.Equal(t, "package a\n\nfunc f() {\n\tfor range 3 { slowed(1);\n\t\tfor i := 0; i < 2; i++ { "+
		"slowed(1);\n\t\t}\n\t}\n\tif true {\n\t}\n}\n", slowed)
	_, _, err = slow("no Go")
	require.Error(t, err)
}

// The overlay stands in for files that are there, is sound Go, and slows each package.
func TestOverlay(t *testing.T) {
	out := t.TempDir()
	loops, err := overlay("../..", out, 50)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(out, "overlay.json"))
	require.NoError(t, err)
	var o struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(text, &o))
	calls := 0
	for was, is := range o.Replace {
		source, err := os.ReadFile(is)
		require.NoError(t, err)
		_, err = parser.ParseFile(token.NewFileSet(), is, source, 0)
		require.NoError(t, err)
		if filepath.Base(was) != "slowed.go" {
			require.FileExists(t, was)
			calls += strings.Count(string(source), " slowed(1);")
		}
	}
	require.Equal(t, loops, calls)
	for _, name := range packages {
		require.FileExists(t, filepath.Join(out, name, "slowed.go"))
	}
}

func TestNothingToSlow(t *testing.T) {
	_, err := overlay(t.TempDir(), t.TempDir(), 50)
	require.ErrorContains(t, err, "there is no loop in coalesce and target")
	_, err = overlay("../..", "", 50)
	require.ErrorContains(t, err, "-out")
}
