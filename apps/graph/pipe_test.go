package graph

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// One pass through a pipe is one through a file.
func TestPipesAreReadOnce(t *testing.T) {
	for _, good := range goodFiles {
		whole, err := os.ReadFile(filepath.Join("testdata", good.file))
		require.NoError(t, err)
		require.NoError(t, openPiped(t, good.file, whole), good.file)
		require.NoError(t, openPiped(t, good.file, pack(t, whole)), "%s, packed", good.file)
	}
}

func openPiped(t *testing.T, name string, text []byte) error {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	_, err = w.Write(text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	format, err := Read(bytes.NewReader(text), name)
	require.NoError(t, err)
	f, err := Open(fmt.Sprintf("/dev/fd/%d", r.Fd()), WithFormat(format.Format()))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = ReadAll(f)
	return err
}

// A pipe that is to be read twice is refused before a byte of it is taken.
func TestPipesAreNotReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.el")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	_, err := Open(path, Again())
	require.ErrorContains(t, err, "open graph "+path+": is a pipe")
	_, err = Open("/dev/null", Again())
	require.ErrorContains(t, err, "is a device")
	_, err = Open("/dev/null")
	require.ErrorContains(t, err, "the file is empty")
}

func TestWeighted(t *testing.T) {
	for text, want := range map[string]bool{
		"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n":      false,
		"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 3.5\n":     true,
		"%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 -3\n": true,
		"p tw 2 1\n1 2\n":            false,
		"# an edge list\n1 2\n":      false,
		"% rows\n2 1\n2\n1\n":        false,
		"% rows\n2 1 1\n2 7\n1 7\n":  true,
		"% rows\n2 1 10\n7 2\n7 1\n": true,
	} {
		f, err := Read(strings.NewReader(text), "g")
		require.NoError(t, err, text)
		require.Equal(t, want, f.Weighted(), text)
	}
	for name, text := range map[string]string{"g.el": "1 2 0.5\n", "t.el": "1 2\t1082040961\n", "n.el": "1 2 -1\n", "g.gr": "p tw 2 1\n1 2 9\n"} {
		err := readText(text, name)
		require.ErrorIs(t, err, ErrSyntax)
		require.ErrorContains(t, err, "weights are not supported here, leave them out")
	}
}
