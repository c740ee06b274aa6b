package bootstrap

import (
	"bytes"
	"context"
	"encoding/base64"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// heard is a connection, and what has come by it.
type heard struct {
	net.Conn
	mu  *sync.Mutex
	all *bytes.Buffer
}

func (h heard) Read(b []byte) (int, error) {
	n, err := h.Conn.Read(b)
	h.mu.Lock()
	h.all.Write(b[:n])
	h.mu.Unlock()
	return n, err
}

// A secret that all know beforehand is never sent: nothing hides it where they meet.
func TestSecretsThatAreKnownAreNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(3)
		w.at(At{Secret: secret})
		var mu sync.Mutex
		var all [3]bytes.Buffer
		meet := w.meet
		w.meet = func(ctx context.Context, i int, c Config) (*Job, error) {
			dial := c.Dial
			c.Dial = func(ctx context.Context, address string) (net.Conn, error) {
				conn, err := dial(ctx, address)
				return heard{conn, &mu, &all[i]}, err
			}
			return meet(ctx, i, c)
		}
		w.run(t.Context())
		w.requireJob(t)
		for i := range all {
			require.Equal(t, i > 0, all[i].Len() > 0)
			require.NotContains(t, all[i].String(), string(secret))
			require.NotContains(t, all[i].String(), base64.StdEncoding.EncodeToString(secret))
		}
	})
}

// A card is a file of its own: one behind a link was put there by somebody else, wherever the link leads.
func TestCardsBehindLinks(t *testing.T) {
	folder := t.TempDir()
	own := filepath.Join(folder, "own")
	require.NoError(t, os.WriteFile(own, []byte("card\n"), 0o600))
	require.NoError(t, os.Symlink(own, filepath.Join(folder, "pebbles-j.0")))
	_, err := NewFolder(folder, "j").Read(t.Context(), 0)
	require.ErrorContains(t, err, "read card")
}
