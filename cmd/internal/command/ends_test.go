package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/disk/disktest"
	"github.com/activepebbles/pebbles/internal/launch"
)

// TestEndsThatCannotBeWrittenAreTold requires a report of every error of a call that writes the ends of processes.
func TestEndsThatCannotBeWrittenAreTold(t *testing.T) {
	disktest.Each(t, func(t *testing.T, call string) {
		result := launch.Result{Job: "j1", Order: []int{1, 0}, Outcomes: make([]launch.Outcome, 2)}
		err := recordEnds(t.TempDir(), "program", time.Now(), result, nil)
		if call == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, disktest.Err.Error())
		}
	})
}
