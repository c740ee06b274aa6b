package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// TestArcsThatCount requires that every graph application states in its help and in its summary how parallel arcs and
// self-loops count, and shows the names of vertices.
func TestArcsThatCount(t *testing.T) {
	path := filepath.Join(t.TempDir(), "people.csv")
	require.NoError(t, os.WriteFile(path, []byte("who,friend,w\nAnn,\"Bo, Jr.\",1\n\"Bo, Jr.\",Cy,2\nAnn,Cy,1\n"), 0o600))
	found := 0
	each(New(Pebbles(), Terminal{}), func(c *cobra.Command) {
		if c.Flags().Lookup("kronecker") == nil || c.Parent().Name() != "pebbles" {
			return
		}
		found++
		require.Contains(t, c.Long, "elf-loops", c.Name())
		line := []string{c.Name(), "--graph", path, "--source", "who", "--target", "friend", "--ids", "names"}
		if c.Flags().Lookup("root") != nil {
			line = append(line, "--root", "Ann")
		}
		if c.Name() == "sssp" {
			line = append(line, "--weight", "w")
		}
		text := succeeds(t, line...)
		require.Regexp(t, `(?m)^arcs +.*self-loops`, text)
		if c.Flags().Lookup("threshold") != nil || c.Name() == "pagerank" {
			require.Contains(t, text, `"Bo, Jr."`)
		}
	})
	require.Equal(t, 9, found)
}
