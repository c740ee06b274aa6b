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

// Every second person is found by the rank that looks.
func TestLookup(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			found, err := run(r)
			if err == nil && found != people/2 {
				return fmt.Errorf("%d were found", found)
			}
			return err
		}))
	})
}
