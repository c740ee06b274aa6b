package launch

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"sync"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// peer is a process that has joined.
type peer struct {
	process int
	address string
	line    net.Conn
}

// rendezvous is the launcher's listener for the processes of its job. handshake.Gate refuses strangers.
type rendezvous struct {
	gate    handshake.Gate
	peers   chan peer // for the launcher's loop
	open    context.Context
	shut    context.CancelFunc
	closing sync.Once
	closed  sync.WaitGroup
}

// openRendezvous listens at s.Bind for the processes of a job.
func openRendezvous(s *Spec, job string, secret []byte) (*rendezvous, error) {
	identity, err := handshake.ThisBuild()
	if err != nil {
		return nil, err
	}
	listener, err := tcp.Listen(s.Bind)
	if err != nil {
		return nil, err
	}
	r := &rendezvous{peers: make(chan peer)}
	r.open, r.shut = context.WithCancel(context.Background())
	r.gate = handshake.Gate{
		Listener: listener, Secret: secret, Members: s.Processes, Limit: s.StartLimit, Log: s.Log,
		Mine: handshake.Hello{
			Role: handshake.RoleLauncher, Job: job, Process: -1, Processes: s.Processes, Ranks: s.Ranks, Identity: identity,
			Encrypted: connect.IsEncrypted(s.Transport),
		},
		Welcome: func(conn net.Conn, hello handshake.Hello) {
			if err := r.welcome(conn, hello); err != nil {
				conn.Close()
				s.Log.Warn("refuse process", "process", hello.Process, "error", err)
			}
		},
	}
	if !r.gate.Mine.Encrypted {
		warnOpen(s.Log, listener.Addr())
	}
	r.gate.Open()
	return r, nil
}

// warnOpen warns that a job that others can reach is not encrypted.
func warnOpen(log *slog.Logger, at net.Addr) {
	if a, ok := at.(*net.TCPAddr); ok && !a.IP.IsLoopback() && log != nil {
		log.Warn("connections between hosts are not encrypted: --tls does it", "address", a.IP)
	}
}

func (r *rendezvous) address() string { return r.gate.Listener.Addr().String() }

// welcome receives the address of a process, and passes it to the loop.
func (r *rendezvous) welcome(conn net.Conn, hello handshake.Hello) error {
	if err := r.check(hello); err != nil {
		return err
	}
	undo := context.AfterFunc(r.open, func() { conn.Close() })
	defer undo()
	var a arrival
	if err := handshake.ReadMessage(conn, arrivalBytesMax, &a); err != nil {
		return err
	}
	if err := a.check(); err != nil {
		return err
	}
	if !undo() {
		return context.Cause(r.open)
	}
	if tcp, ok := handshake.Socket(conn).(*net.TCPConn); ok {
		tcp.SetKeepAliveConfig(keepAlive)
	}
	select {
	case r.peers <- peer{hello.Process, a.Address, conn}:
		return nil
	case <-r.open.Done():
		return context.Cause(r.open)
	}
}

func (r *rendezvous) check(hello handshake.Hello) error {
	mine := r.gate.Mine
	if hello.Role != handshake.RoleProcess || hello.Process < 0 || hello.Process >= mine.Processes ||
		hello.Processes != mine.Processes || hello.Ranks != mine.Ranks {
		return fmt.Errorf("%s %d of %d with %d ranks does not fit this job of %d processes with %d ranks",
			hello.Role, hello.Process, hello.Processes, hello.Ranks, mine.Processes, mine.Ranks)
	}
	return nil
}

// stop refuses further processes, without waiting.
func (r *rendezvous) stop() {
	r.closing.Do(func() {
		r.shut()
		r.closed.Go(r.gate.Close)
	})
}

// close stops, and waits for its goroutines.
func (r *rendezvous) close() {
	r.stop()
	r.closed.Wait()
}
