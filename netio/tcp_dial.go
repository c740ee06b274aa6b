package netio

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/activepebbles/pebbles/netio/handshake"
)

const (
	dialPauseMin = 10 * time.Millisecond
	dialPauseMax = 500 * time.Millisecond
	refusalsMax  = 5 // a greeting that was refused may have been crowded out by strangers, but hardly so often
)

// dial tries until it has a lane or the start ends: others may start later than this process.
func (s *starting) dial(ctx context.Context, process int, number uint8) {
	refusals := 0
	for pause := dialPauseMin; ctx.Err() == nil; pause = min(2*pause, dialPauseMax) {
		err := s.dialOnce(ctx, process, number)
		if err == nil {
			return
		}
		err = fmt.Errorf("dial process %d: %w", process, err)
		s.mu.Lock()
		s.last = err
		s.mu.Unlock()
		if errors.Is(err, handshake.ErrSecret) {
			refusals++
		}
		var mismatch *handshake.IdentityError
		if refusals == refusalsMax || errors.As(err, &mismatch) {
			s.fail(err)
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (s *starting) dialOnce(ctx context.Context, process int, number uint8) error {
	c := &s.t.config
	dialer := net.Dialer{Timeout: c.HandshakeLimit}
	conn, err := dialer.DialContext(ctx, "tcp", c.Addresses[process])
	if err != nil {
		return err
	}
	undo := context.AfterFunc(ctx, func() { conn.Close() })
	hello, err := handshake.Client(conn, c.Secret, c.hello(number), c.HandshakeLimit)
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
