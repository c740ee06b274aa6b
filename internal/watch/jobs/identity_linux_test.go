package jobs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStarted puts arbitrary names into the kernel's brackets.
func TestStarted(t *testing.T) {
	rest := " S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0"
	for _, name := range []string{"a", "a b", ") S 1 2 3", "((", "", "\n"} {
		ticks, err := started([]byte("12 (" + name + ")" + rest))
		require.NoError(t, err)
		require.Equal(t, "4711", ticks)
	}
	for _, state := range []string{"Z", "X"} {
		_, err := started([]byte("12 (a)" + strings.Replace(rest, "S", state, 1)))
		require.ErrorIs(t, err, errEnded)
	}
	for _, text := range []string{"", "12", "12 (a)", "12 (a) S 1 2"} {
		_, err := started([]byte(text))
		require.ErrorContains(t, err, "has no start")
	}
}
