package command

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBarIsPatient(t *testing.T) {
	var screen bytes.Buffer
	b := &bar{to: &screen, app: "work", started: time.Now().Add(time.Hour)}
	b.draw("edges read", 1, 2)
	b.clear()
	require.Empty(t, screen.String())
}

func TestBarDraws(t *testing.T) {
	var screen bytes.Buffer
	b := &bar{to: &screen, app: "work"}
	b.draw("edges read", 1, 4)
	require.Contains(t, screen.String(), "work: 1 of 4 edges read")
	b.draw("edges sorted", 0, 0) // the next phase
	require.Contains(t, screen.String(), "work: edges sorted")
	b.draw("searches", 3, 8)
	require.Contains(t, screen.String(), "work: 3 of 8 searches")
	b.clear()
	require.True(t, strings.HasSuffix(screen.String(), "\r"), "%q", screen.String())
}

// TestBarText requires that a line with the widest numbers leaves room for the bar within 80 columns, and formats each
// number in one way.
func TestBarText(t *testing.T) {
	for _, c := range []struct {
		done, total uint64
		seconds     float64
		want        string
	}{
		{0, 0, 0, "randomaccess: updates"},
		{0, 12345, 0, "randomaccess: 0 of 12.35k updates"},
		{1234567, 0, 2, "randomaccess: 1.235M updates, 617.3k/s"},
		{16252928, 32768000000, 6.268, "randomaccess: 16.25M of 32.77G updates, 2.593M/s, 3h30m31s left"},
		{1, math.MaxUint64, 1e3, "randomaccess: 1 of 18.45E updates, 0.001/s, 213.5P days left"},
		{999_949_999, 999_950_000, 1, "randomaccess: 999.9M of 1G updates, 999.9M/s, 0s left"},
	} {
		b := &bar{app: "randomaccess", what: "updates", total: c.total}
		require.Equal(t, c.want, b.text(c.done, c.seconds))
		require.LessOrEqual(t, len(c.want), 80-gauge)
	}
}
