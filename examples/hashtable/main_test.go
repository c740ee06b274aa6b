package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Every rank finds all words of another one.
func TestHashTable(t *testing.T) {
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 3, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 4, Procs: 2, Transport: "tcp", New: route.Direct},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				found, rounds, err := run(r)
				require.Equal(t, words, found)
				require.Greater(t, rounds, 1, "some words are not in their first slot")
				return err
			}))
		})
	}
}
