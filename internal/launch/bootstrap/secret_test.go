package bootstrap

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
	"github.com/activepebbles/pebbles/internal/handshake"
)

// brokenLine is a connection that breaks while a process is greeted, at the moment at which the exchange ends.
type brokenLine struct {
	net.Conn
	end    func()
	closed chan struct{}
}

func (l *brokenLine) Write(b []byte) (int, error) { return len(b), nil }
func (l *brokenLine) Close() error                { close(l.closed); return nil }
func (l *brokenLine) Read([]byte) (int, error) {
	l.end()
	return 0, io.ErrUnexpectedEOF
}

// TestExchangeEndsWhileAProcessIsGreeted ends an exchange after a greeting has failed, and before its end is known.
func TestExchangeEndsWhileAProcessIsGreeted(t *testing.T) {
	bubble.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		near, far := net.Pipe()
		defer near.Close()
		defer far.Close()
		line := &brokenLine{Conn: near, end: cancel, closed: make(chan struct{})}
		identity, err := handshake.ThisBuild()
		require.NoError(t, err)
		hello := handshake.Hello{Role: handshake.RoleChild, Processes: 2, Identity: identity}
		s := bySecret{Rendezvous{Secret: make([]byte, 32)}, hello, time.Minute}
		_, err = s.prove(ctx, line, entry{})
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		<-line.closed
	})
}
