package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWords(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			counts, err := run(r, text+" "+fmt.Sprint(r.ID()), "a", "rose", "thorn", "", "0")
			n := uint64(r.Size())
			if err == nil && fmt.Sprint(counts) != fmt.Sprint([]uint64{3 * n, 3 * n, 0, 0, 1}) {
				return fmt.Errorf("counted %d", counts)
			}
			return err
		}))
	})
}
