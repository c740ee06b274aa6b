package leaks

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Reports, and files that stay open, are found.
func TestFound(t *testing.T) {
	before := descriptors()
	require.NotEmpty(t, before)
	Left("turns", 0)
	require.Empty(t, Found(before))
	f, err := os.Create(filepath.Join(t.TempDir(), "open"))
	require.NoError(t, err)
	Left("turns", 2)
	Left("turns", 1)
	require.Equal(t, []string{"3 turns", "open files: [" + f.Name() + "]"}, Found(before))
	require.NoError(t, f.Close())
	delete(left, "turns")
	require.Empty(t, Found(before))
}
