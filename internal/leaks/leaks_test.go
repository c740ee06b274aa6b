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

// Tests have a folder of their own for temporary files, and what they leave there is found.
func TestTemporaryFilesAreFound(t *testing.T) {
	outside := os.TempDir()
	for leave, want := range map[bool]int{false: 0, true: 1} {
		var inside string
		code := Main(tests(func() {
			inside = os.TempDir()
			f, err := os.CreateTemp("", "left")
			require.NoError(t, err)
			require.NoError(t, f.Close())
			require.Equal(t, inside, filepath.Dir(f.Name()))
			if !leave {
				require.NoError(t, os.Remove(f.Name()))
			}
		})).Run()
		require.Equal(t, want, code)
		require.NotEqual(t, outside, inside)
		require.NoDirExists(t, inside)
		require.Equal(t, outside, os.TempDir())
	}
}

type tests func()

func (f tests) Run() int {
	f()
	return 0
}
