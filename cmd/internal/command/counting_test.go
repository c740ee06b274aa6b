package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
)

// piped runs a command line with a text as standard input.
func piped(t *testing.T, text string, args ...string) (status int, stderr string) {
	in, err := os.Open(appstest.Write(t, "stdin", text))
	require.NoError(t, err)
	defer in.Close()
	var out, failed strings.Builder
	status = Execute(New(Pebbles(), Terminal{Args: args, Stdin: in, Stdout: &out, Stderr: &failed}))
	return status, failed.String()
}

// TestStandardInput requires that standard input is counted like a file, leaves nothing, and is named in errors.
func TestStandardInput(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	output := filepath.Join(t.TempDir(), "out.csv")
	status, stderr := piped(t, "b a\na\n", "words", "-", "--ranks", "3", "--output", output)
	require.Zero(t, status, stderr)
	text, err := os.ReadFile(output)
	require.NoError(t, err)
	require.Equal(t, "word,count\na,2\nb,1\n", string(text))

	shape := filepath.Join(t.TempDir(), "histogram.csv")
	reads := []string{"kmers", "-", "--k", "3", "--ranks", "2", "--output", output, "--replace", "--histogram", shape}
	status, stderr = piped(t, "@a\nACGTN\n+\nIIIII\n", reads...)
	require.Zero(t, status, stderr)
	text, err = os.ReadFile(output)
	require.NoError(t, err)
	require.Equal(t, "kmer,count\nACG,2\n", string(text))
	text, err = os.ReadFile(shape)
	require.NoError(t, err)
	require.Equal(t, "multiplicity,kmers\n2,1\n", string(text))

	status, stderr = piped(t, "@a\nACGTN\n+\nII\n", reads...)
	require.NotZero(t, status)
	require.Contains(t, stderr, "/stdin: line 1")
	left, err := os.ReadDir(os.Getenv("TMPDIR"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestGroupColumns requires columns of groups in the order of the flags. Those without a column are of the sums.
func TestGroupColumns(t *testing.T) {
	table := appstest.Write(t, "a.csv", "k,x,y\na,1,2\na,3,4\n")
	output := filepath.Join(t.TempDir(), "out.csv")
	succeeds(t, "group", table, "--by", "k", "--max", "--sum", "x,y", "--count", "--mean=y", "--output", output)
	text, err := os.ReadFile(output)
	require.NoError(t, err)
	require.Equal(t, "k,max_x,max_y,sum_x,sum_y,count,mean_y\na,3,4,4,6,2,3\n", string(text))
}
