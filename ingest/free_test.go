package ingest

import (
	"testing"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
)

// A source has nothing to free: what is not read any more leaves nothing behind.
func TestSourcesLeaveNothing(t *testing.T) {
	lines := write(t, "lines", []byte("one\ntwo\nthree\n"))
	appstest.Freed(t, func(r *pebble.Rank) func() error {
		return func() error {
			in, err := Open(r, []string{lines}, Lines())
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
