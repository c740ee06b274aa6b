package guides_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// explains reports whether a block is one command that explains its plan.
func explains(b block) bool {
	return b.language == "sh" && strings.Count(b.text, "\n") == 1 && strings.Contains(b.text, "--explain")
}

// explained compares the output of such a command with the block below it. Flags fix all values that depend on the
// machine.
func explained(t *testing.T, command, b block) error {
	line, ok := strings.CutPrefix(strings.TrimSpace(command.text), "go run ./cmd/")
	words := strings.Fields(line)
	if !ok || words[0] != "pebbles" && words[0] != "pebbles-lab" {
		return fmt.Errorf("%s: what is explained must be run by go run ./cmd/pebbles", command.place)
	}
	out, err := exec.Command(built(t, words[0]), words[1:]...).Output()
	require.NoError(t, err, command.place)
	if string(out) != b.text {
		return fmt.Errorf("%s: the command above prints:\n%s", b.place, out)
	}
	return nil
}

func TestExplainedBites(t *testing.T) {
	command := block{"a.md:1", "sh", "go run ./cmd/pebbles randomaccess --ranks 2 --memory 64MiB --explain\n"}
	require.True(t, explains(command))
	require.False(t, explains(block{"a.md:1", "sh", "pebbles bfs\n"}))
	err := explained(t, command, block{"a.md:4", "text", "nothing\n"})
	require.ErrorContains(t, err, "a.md:4")
	_, text, _ := strings.Cut(err.Error(), "prints:\n")
	require.NoError(t, explained(t, command, block{"a.md:4", "text", text}))
	require.Error(t, explained(t, block{"a.md:1", "sh", "pebbles bfs --explain\n"}, block{}))
}
