package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

func TestCountRows(t *testing.T) {
	folder := t.TempDir()
	text := "city,miles\n" + strings.Repeat("Bern,1\n\"New\nYork\",2\nBern,3\n", 100) + "bad\n"
	file := filepath.Join(folder, "trips.csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	for _, ranks := range []int{1, 2, 4, 7} {
		w := &strings.Builder{}
		out := filepath.Join(t.TempDir(), "counts")
		require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
			return run(r, w, []string{file}, "city", out, 1)
		}))
		require.Equal(t, "300 rows, 1 skipped\n2 different values in "+out+"\n", w.String())
		require.Equal(t, map[string]int64{"Bern": 200, "New\nYork": 100}, saved(t, ranks, out))
	}
	err := pebble.Run(context.Background(), pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		return run(r, io.Discard, []string{file}, "city", "", 0)
	})
	require.ErrorContains(t, err, "trips.csv: line 402: the row has 1 fields, the header has 2")
}

// saved reads the written files.
func saved(t *testing.T, ranks int, folder string) map[string]int64 {
	var lock sync.Mutex
	all := map[string]int64{}
	require.NoError(t, pebble.Run(context.Background(), pebble.Config{Ranks: ranks}, func(r *pebble.Rank) error {
		in, err := ingest.Open(r, []string{folder}, ingest.CSV[count]())
		if err != nil {
			return err
		}
		for c := range in.All() {
			lock.Lock()
			all[c.Value] += c.Rows
			lock.Unlock()
		}
		return in.Err()
	}))
	return all
}
