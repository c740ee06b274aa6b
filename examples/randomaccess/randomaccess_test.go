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

// serial returns the table after one serial program has made all updates.
func serial(words, ranks int) []uint64 {
	table := make([]uint64, words*ranks)
	ran := uint64(1)
	for range 4 * len(table) {
		top := ran >> 63
		ran <<= 1
		if top == 1 {
			ran ^= 7
		}
		table[ran%uint64(len(table))] ^= ran
	}
	return table
}

func TestTableIsThatOfASerialProgram(t *testing.T) {
	for _, s := range []appstest.Shape{
		{Ranks: 1, Procs: 1, Transport: "mem", New: route.Direct},
		{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct, Coalesce: 7},
		{Ranks: 5, Procs: 1, Transport: "mem", New: route.Hypercube},
		{Ranks: 8, Procs: 1, Transport: "mem", New: route.Hypercube, Coalesce: 1},
		{Ranks: 3, Procs: 2, Transport: "tcp", New: route.Direct},
		{Ranks: 4, Procs: 2, Transport: "tcp", New: route.Hypercube},
	} {
		t.Run(fmt.Sprintf("%d ranks over %s", s.Ranks, s.Transport), func(t *testing.T) {
			const words = 1 << 10
			tables := make([]uint64, words*s.Ranks)
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				return run(r, tables[words*r.ID():words*(r.ID()+1)])
			}))
			require.Equal(t, serial(words, s.Ranks), tables)
		})
	}
}
