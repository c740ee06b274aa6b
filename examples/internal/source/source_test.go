package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCounts(t *testing.T) {
	for _, c := range []struct {
		text        string
		lines, body int
	}{
		{"package a\n", 1, 0},
		{"// Package a does nothing.\npackage a\n\nvar b = 1 // one\n", 2, 1},
		{"package a\n\nimport \"fmt\"\n\n// b prints.\nfunc b() {\n\tfmt.Println()\n}\n", 5, 3},
		{"package a\n\nimport (\n\t\"fmt\"\n\n\t_ \"os\"\n)\n\nvar b = fmt.Sprint\n", 6, 1},
	} {
		file := filepath.Join(t.TempDir(), "a.go")
		require.NoError(t, os.WriteFile(file, []byte(c.text), 0o600))
		lines, err := Lines(file)
		require.NoError(t, err)
		require.Equal(t, c.lines, lines, c.text)
		body, err := Body(file)
		require.NoError(t, err)
		require.Equal(t, c.body, body, c.text)
	}
}

func TestRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.go")
	for text, why := range map[string]string{
		"package a; var b = 1\n": "gofmt",
		"package\n":              "expected",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := Lines(file)
		require.ErrorContains(t, err, why)
		_, err = Body(file)
		require.ErrorContains(t, err, why)
	}
	_, err := Lines(file + ".none")
	require.ErrorIs(t, err, os.ErrNotExist)
}
