package tcp

import (
	"context"
	"fmt"
	"net"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// dial dials a lane, and tells whether to do so again: others may start later than this process.
func (s *starting) dial(ctx context.Context, c *handshake.Contact) (again bool) {
	err := s.dialOnce(ctx, c.Process, c.Lane)
	if err == nil || ctx.Err() != nil {
		return false
	}
	err = fmt.Errorf("dial process %d: %w", c.Process, err)
	s.mu.Lock()
	s.last = err
	s.mu.Unlock()
	if c.Hopeless(err) {
		s.fail(err)
		return false
	}
	return true
}

func (s *starting) dialOnce(ctx context.Context, process int, number uint8) error {
	c := &s.t.config
	dialer := net.Dialer{Timeout: c.HandshakeLimit}
	conn, err := dialer.DialContext(ctx, "tcp", c.Addresses[process])
	if err != nil {
		return err
	}
	undo := context.AfterFunc(ctx, func() { conn.Close() })
	hello, err := handshake.Client(conn, c.Secret, c.Inside(access).Hello(number), c.HandshakeLimit)
	if !undo() && err == nil {
		err = context.Cause(ctx)
	}
	hello.Lane = number // the other end greets before it knows which lane this is
	if err == nil && hello.Process != process {
		err = fmt.Errorf("process %d answers at %s", hello.Process, c.Addresses[process])
	}
	if err == nil {
		if err = s.admit(conn, hello); err != nil {
			s.fail(err)
		}
	}
	if err != nil {
		conn.Close()
	}
	return err
}
