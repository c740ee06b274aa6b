package bootstrap

import (
	"context"
	"net"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// bySecret authenticates processes by a secret that all have beforehand.
type bySecret struct {
	Rendezvous
	hello handshake.Hello
	limit time.Duration // until the parent has proven the secret
}

func newBySecret(c Config, r Rendezvous) (*bySecret, error) {
	identity, err := handshake.ThisBuild()
	hello := handshake.Hello{
		Role: handshake.RoleChild, Process: c.Number, Processes: c.Processes, Encrypted: c.TLS, Identity: identity,
	}
	return &bySecret{r, hello, c.Limit}, err
}

func (s *bySecret) guard(_ context.Context, g *handshake.Gate) { g.Secret, g.Mine = s.Secret, s.hello }

func (s *bySecret) lookup(_ context.Context, process int) (entry, error) {
	return entry{address: s.Address(process)}, nil
}

func (s *bySecret) prove(ctx context.Context, conn net.Conn, _ entry) (net.Conn, error) {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	line, _, err := handshake.Client(conn, s.Secret, s.hello, s.limit)
	return line, err
}
