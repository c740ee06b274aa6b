package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every rank finds all words of another one.
func TestHashTable(t *testing.T) {
	appstest.Few(t, func(t *testing.T, s appstest.Shape) {
		require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
			found, rounds, err := run(r)
			require.Equal(t, words, found)
			require.Greater(t, rounds, 1, "some words are not in their first slot")
			return err
		}))
	})
}
