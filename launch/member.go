package launch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Started reports whether the environment says that this process belongs to a job. [Join] takes that away.
func Started() bool {
	_, ok := os.LookupEnv(varJob)
	return ok
}

// Member is this process as a member of its job.
type Member struct {
	// Transport is connected with all processes of the job, and not yet started. It belongs to the caller, who must
	// close it, before the Member.
	Transport netio.Transport
	Job       string // the job's id
	Place     netio.Place
	// Gone is closed when the launcher is lost, however it ended. The process has to end then, within 5 seconds and with
	// [ExitFollower].
	Gone <-chan struct{}

	line *line
}

// Join makes this process a member of the job that its environment describes. It removes the secret and the variables, so that
// it can be called once and child processes don't inherit them. It listens at the configured address, and returns when all
// processes of the job are connected, at the latest after the launcher's start limit. The error says what to do; [StatusOf] has
// the exit status for it.
func Join(ctx context.Context) (*Member, error) { return JoinBy(ctx, "", nil) }

// JoinBy is Join by the transport of a name, as [connect.Dial] takes it; when that is empty or [connect.ByAuto], by the one that
// the launcher was given. The log, which may be nil, reports refused strangers and lost processes.
func JoinBy(ctx context.Context, transport string, log *slog.Logger) (*Member, error) {
	switch {
	case Started():
	case Joined():
		return nil, fmt.Errorf("join job: %w", ErrJoinedBefore)
	default:
		return nil, fmt.Errorf("join job: %w", errNotStarted)
	}
	e, secret, err := takeEnvironment()
	if err != nil {
		return nil, fmt.Errorf("join job: %w", err)
	}
	if transport != "" && transport != connect.ByAuto {
		e.transport = transport
	}
	m, err := e.join(ctx, secret, log)
	if err != nil {
		return nil, fmt.Errorf("join job %s as process %d: %w", e.job, e.process, err)
	}
	return m, nil
}

func (e environment) join(ctx context.Context, secret []byte, log *slog.Logger) (_ *Member, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.startLimit+lineLimit, e.late())
	defer cancel()
	identity, err := handshake.ThisBuild()
	if err != nil {
		return nil, err
	}
	conn, err := e.dialLauncher(ctx, secret, identity)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			conn.Close()
		}
	}()
	listener, err := tcp.Listen(e.bindAddress(conn))
	if err != nil {
		return nil, fmt.Errorf("%w; it must be an address or interface of this host", err)
	}
	addresses, err := e.meet(ctx, conn, listener.Addr().String())
	if err != nil {
		listener.Close()
		return nil, err
	}
	return e.connect(ctx, conn, tcp.Config{
		Job: e.job, Secret: secret, Place: netio.PlaceOf(e.ranks, e.processes, e.process),
		Listener: listener, Addresses: addresses, Identity: identity, StartLimit: e.startLimit,
		SilenceMax: e.silenceLimit, Log: log,
	})
}

func (e environment) late() error {
	return fmt.Errorf("the job has not started within %v; the launcher says who is missing", e.startLimit)
}

// bindAddress is the address to listen on: the configured one, or else this process's address on its connection to the launcher,
// which is loopback for a job on one machine.
func (e environment) bindAddress(conn net.Conn) string {
	if e.bind != "" {
		return e.bind
	}
	host, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	return host
}

// connect dials the other processes while it watches the connection to the launcher.
func (e environment) connect(ctx context.Context, conn net.Conn, c tcp.Config) (*Member, error) {
	line := watch(conn)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	leave := context.AfterFunc(line.context, func() { cancel(ErrLauncherGone) })
	defer leave()
	transport, err := connect.Dial(ctx, c, e.transport)
	if err != nil {
		gone := line.lost()
		complain(conn, err)
		line.close()
		if gone {
			return nil, fmt.Errorf("%w: %w", ErrLauncherGone, err)
		}
		return nil, err
	}
	return &Member{Transport: transport, Job: e.job, Place: c.Place, Gone: line.context.Done(), line: line}, nil
}

// Complain tells the launcher which process err blames, if any (see [netio.Blamed]), so that its last line can name it. It
// must come before Close, and takes at most 5 seconds.
func (m *Member) Complain(err error) { complain(m.line.conn, err) }

// Close ends the line to the launcher, after the Transport was closed. Gone stays open if it was. It may be called again.
func (m *Member) Close() error { return m.line.close() }

// line is the connection to the launcher after the start: nothing is said on it, only its end is listened for.
type line struct {
	conn    net.Conn
	context context.Context // ends when the launcher is lost
	leave   sync.Once
	left    chan struct{} // closed by close
	ended   sync.WaitGroup
	closing error
}

func watch(conn net.Conn) *line {
	ctx, gone := context.WithCancelCause(context.Background())
	l := &line{conn: conn, context: ctx, left: make(chan struct{})}
	l.ended.Go(func() {
		for b := make([]byte, 64); ; {
			if _, err := conn.Read(b); err == nil {
				continue
			}
			break
		}
		select {
		case <-l.left:
		default:
			gone(ErrLauncherGone)
		}
	})
	return l
}

func (l *line) lost() bool { return l.context.Err() != nil }

func (l *line) close() error {
	l.leave.Do(func() {
		close(l.left)
		l.closing = l.conn.Close()
		l.ended.Wait()
	})
	if errors.Is(l.closing, net.ErrClosed) {
		return nil
	}
	return l.closing
}

// lineLimit bounds each single step with the launcher: to dial, to greet, to send a message.
const lineLimit = 5 * time.Second
