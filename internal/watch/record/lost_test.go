package record

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/disk/disktest"
)

// TestNoErrorOfTheDiskIsLost requires that Create, a second, or Close reports an error of any call on a file. The
// record is small, so that segments change and old ones are removed.
func TestNoErrorOfTheDiskIsLost(t *testing.T) {
	met := map[string]bool{}
	disktest.Each(t, func(t *testing.T, call string) {
		kind, _, _ := strings.Cut(call, " ")
		met[kind] = true
		job, random := jobOf("j1", 1, 1), newRandom(t)
		w, told := Create(t.TempDir(), job, 0, 1)
		if told == nil {
			settle(t, w)
			for s := range 60 {
				step(random, &job.Processes[0], s, 10)
				told = errors.Join(told, w.Second(after(float64(s)), &job.Processes[0], 0, "it moves"))
				settle(t, w)
			}
			told = errors.Join(told, w.Close(after(61), ""))
		}
		if call == "" {
			require.NoError(t, told)
		} else {
			require.ErrorIs(t, told, disktest.Err)
		}
	})
	for _, kind := range []string{"open", "write", "close", "remove"} {
		require.True(t, met[kind], "no call was %s", kind)
	}
}
