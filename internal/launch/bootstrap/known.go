package bootstrap

import (
	"context"
	"net"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// known proves who a process is by a secret that all have beforehand.
type known struct {
	hello   handshake.Hello
	secret  []byte
	address func(process int) string
	limit   time.Duration // until the parent has proven the secret
}

func newKnown(c Config, a At) (*known, error) {
	identity, err := handshake.ThisBuild()
	if err != nil {
		return nil, err
	}
	return &known{
		secret: a.Secret, address: a.Address, limit: c.Limit,
		hello: handshake.Hello{Role: handshake.RoleChild, Process: c.Number, Processes: c.Processes, Identity: identity},
	}, nil
}

func (k *known) guard(_ context.Context, g *handshake.Gate) { g.Secret, g.Mine = k.secret, k.hello }

func (k *known) find(_ context.Context, parent int) (string, func(context.Context, net.Conn) (net.Conn, error), error) {
	return k.address(parent), func(ctx context.Context, conn net.Conn) (net.Conn, error) {
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		_, err := handshake.Client(conn, k.secret, k.hello, k.limit)
		return conn, err
	}, nil
}
