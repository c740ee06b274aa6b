package ingest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// A source needs no Free: when it is no longer read, nothing of it remains.
func TestSourcesLeaveNothing(t *testing.T) {
	lines := filepath.Join(t.TempDir(), "lines")
	require.NoError(t, os.WriteFile(lines, []byte("one\ntwo\nthree\n"), 0o600))
	appstest.Freed(t, func(r *pebble.Rank) func() error {
		return func() error {
			in, err := ingest.Open(r, []string{lines}, ingest.Lines())
			if err != nil {
				return err
			}
			return r.Epoch(func() error {
				for range in.All() {
					break
				}
				return in.Err()
			})
		}
	})
}
