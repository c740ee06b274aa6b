package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// keepAlive detects a host that has vanished without closing its connection.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second, Interval: time.Second, Count: 5}

// reachLauncher returns the connection to the launcher, after both ends have proven that they know the secret. A
// launcher that drops this process, since others crowd at its door, is dialled again until ctx ends.
func (e environment) reachLauncher(ctx context.Context, secret []byte, identity handshake.Identity) (net.Conn, error) {
	var conn net.Conn
	err := handshake.Reach(ctx, func(ctx context.Context) (again bool, err error) {
		conn, err = e.dialLauncher(ctx, secret, identity)
		return errors.Is(err, handshake.ErrDropped), err
	})
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("%w; last failure: %w", context.Cause(ctx), err)
	}
	return conn, err
}

func (e environment) dialLauncher(ctx context.Context, secret []byte, identity handshake.Identity) (net.Conn, error) {
	dialer := net.Dialer{Timeout: lineLimit, KeepAliveConfig: keepAlive}
	conn, err := dialer.DialContext(ctx, "tcp", e.launcher)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("dial launcher: %w", ctx.Err())
	}
	if err != nil {
		err = fmt.Errorf("dial launcher: %w; the launcher has ended, or %s can't be reached from this host "+
			"(then bind the job to another interface)", err, e.launcher)
		if errors.Is(err, syscall.ECONNREFUSED) {
			err = fmt.Errorf("%w: %w", ErrLauncherGone, err)
		}
		return nil, err
	}
	leave := context.AfterFunc(ctx, func() { conn.Close() })
	defer leave()
	mine := handshake.Hello{
		Role: handshake.RoleProcess, Job: e.job, Process: e.process, Processes: e.processes, Ranks: e.ranks,
		Identity: identity,
	}
	theirs, err := handshake.Client(conn, secret, mine, e.startLimit)
	if err == nil && theirs.Role != handshake.RoleLauncher {
		err = fmt.Errorf("%s is a %s of the job, not its launcher", e.launcher, theirs.Role)
	}
	if !leave() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("greet launcher: %w", err)
	}
	return conn, nil
}

// meet sends the launcher this process's address, and waits for the addresses of all.
func (e environment) meet(ctx context.Context, conn net.Conn, address string) ([]string, error) {
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) }) // long ago: ends the read
	defer stop()
	if err := handshake.WriteMessage(conn, arrival{address}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrLauncherGone, err)
	}
	var d departure
	err := handshake.ReadMessage(conn, departureBytesMax(e.processes), &d)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET):
		return nil, fmt.Errorf("wait for all processes: %w, or has refused this process: %w", ErrLauncherGone, err)
	case err != nil:
		return nil, fmt.Errorf("wait for all processes: %w", err)
	case d.Failed != "":
		return nil, fmt.Errorf("%w: %s", ErrElsewhere, d.Failed)
	}
	if err := d.check(e.processes); err != nil {
		return nil, fmt.Errorf("read addresses: %w", err)
	}
	return d.Addresses, nil
}
