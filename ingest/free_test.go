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

// A source has nothing to free: when it is not read any more, nothing is left of it.
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
