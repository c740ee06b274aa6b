package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scripttest"
	"github.com/activepebbles/pebbles/lab"
)

// script returns a program that replaces pebbles: it prints given answers.
func script(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "pebbles")
	scripttest.Write(t, name, text)
	return name
}

// Simulations answer with 3 s and jobs with 4, 5 and 3 s, 4 in the mean. The table has the ratio, and the rest of the
// page is unchanged.
func TestAgree(t *testing.T) {
	calls := filepath.Join(t.TempDir(), "calls")
	pebbles := script(t, `echo "$*" >>`+calls+`
case "$1" in
fit) ;;
sim) echo '{"seconds": 3, "errors": 0}' ;;
*)
	seconds=$((3 + $(grep -cxF -- "$*" `+calls+`) % 3)) # 4, 5, 3
	echo "{\"seconds\": $seconds, \"errors\": 0}"
	;;
esac
`)
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("# Measurements\n\nkept\n"), 0o644))
	var stdout, stderr bytes.Buffer
	require.NoError(t, agreeProgram.Call(context.Background(),
		[]string{"-pebbles", pebbles, "-repeats", "2", "-page", page}, &stdout, &stderr))
	require.Contains(t, stdout.String(), "0.75")
	require.Contains(t, strings.Join(strings.Fields(stdout.String()), " "), "Of 12 jobs 12 are simulated within 30 %")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "kept")
	require.Contains(t, string(text), "| alltoall --rounds 599186 | tcp | 8 | 4000 ms |")
}

func TestMistakes(t *testing.T) {
	for says, c := range map[string]struct {
		text string
		args []string
	}{
		"no such argument": {"", []string{"x"}},
		"give 1 or more":   {"", []string{"-repeats", "0"}},
		"leave out -small": {"", []string{"-small", "-page", "x"}},
		"exit status 3":    {"echo broken >&2; exit 3", nil},
		"no valid result":  {"echo '{\"seconds\": 1, \"errors\": 1}'", nil},
	} {
		args := append([]string{"-pebbles", script(t, c.text)}, c.args...)
		err := agreeProgram.Call(context.Background(), args, &bytes.Buffer{}, &bytes.Buffer{})
		require.ErrorContains(t, err, says)
	}
}

// Ratios are of means; that of a round is of its three measurements.
func TestRatio(t *testing.T) {
	c := cell{measured: []float64{1, 2, 3, 6, 6, 6}, simulated: []float64{4, 4}}
	require.EqualValues(t, 1, c.ratio())
	require.InDelta(t, 2./3, c.apart(), 1e-12) // 2 and 2/3
	require.EqualValues(t, 1, lab.Summarize([]float64{5, 1, 2}).Spread)
}
