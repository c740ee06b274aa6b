package values

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Files that would never end, or fill the memory, are refused before they are read.
func TestTextRefusesWhatMightNeverEnd(t *testing.T) {
	folder := t.TempDir()
	pipe, long := filepath.Join(folder, "pipe"), filepath.Join(folder, "long")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	require.NoError(t, os.WriteFile(long, nil, 0o600))
	require.NoError(t, os.Truncate(long, textMax+1))
	for name, says := range map[string]string{
		pipe: "is not a regular file", "/dev/zero": "is not a regular file", folder: "is not a regular file",
		long: "more than the 67108864", filepath.Join(folder, "absent"): "no such file",
	} {
		_, err := Text(name)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, name)
	}
}

func TestTextOfAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "short")
	require.NoError(t, os.WriteFile(name, []byte("a text"), 0o600))
	text, err := Text(name)
	require.NoError(t, err)
	require.Equal(t, "a text", string(text))
}
