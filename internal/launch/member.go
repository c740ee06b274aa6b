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

// Started reports whether this process is to join a job: [Run] has started it, or another launcher has, as one of several tasks. alone
// says that tasks of another launcher are to have jobs of their own; so does PEBBLES_ALONE=1 in the environment. It reports true also for
// an environment that makes no sense, of which [Join] then tells.
func Started(alone bool) bool {
	if ours() {
		return true
	}
	if meant, err := meantAlone(alone); meant || err != nil || Joined() {
		return false
	}
	_, err := detect()
	return !errors.Is(err, errNoTask)
}

// ours reports whether [Run] has started this process. [Join] takes that away.
func ours() bool {
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
	// [ExitFollower]. It is nil for tasks of other launchers, which see to that themselves.
	Gone <-chan struct{}

	line *line // nil for a task of another launcher
}

// Options say how a process joins its job.
type Options struct {
	// Transport connects the processes, as [connect.Dial] takes it; "" and [connect.ByAuto] are what the launcher was told, or else
	// PEBBLES_TRANSPORT in the environment.
	Transport string
	// Ranks is how many ranks a job of another launcher's tasks has, where PEBBLES_RANKS does not say it. 0 is one for each core that
	// they may use. A job that [Run] has started has as many as that was told.
	Ranks int
	// Alone is as for [Started].
	Alone bool
	// Log, which may be nil, reports refused strangers and lost processes.
	Log *slog.Logger
}

// Join makes this process a member of the job that its environment describes, and returns when all processes of the job are connected,
// at the latest after the start limit. It removes the secret and what describes the job or this process's task from the environment (of
// another launcher: PMI_FD, PMI_RANK, PMI_SIZE, PMIX_RANK, OMPI_COMM_WORLD_RANK and _SIZE, SLURM_STEP_ID, JOB_COMPLETION_INDEX), so that
// it can be called once, and children of this process do not take part. The error says what to do; [StatusOf] has the exit status for it.
//
// Who has started the process is found out in this order: [Run]; a launcher that speaks PMI-1 (PMI_FD); mpirun of Open MPI
// (OMPI_COMM_WORLD_SIZE); srun (SLURM_STEP_ID); Kubernetes or anybody else who sets PEBBLES_PROCESSES. docs/guide-clusters.md has
// an example of each.
func Join(ctx context.Context, o Options) (*Member, error) {
	switch {
	case ours():
	case Joined():
		return nil, fmt.Errorf("join job: %w", ErrJoinedBefore)
	case Started(o.Alone):
		m, err := joinAsTask(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("join job: %w", err)
		}
		return m, nil
	default:
		return nil, fmt.Errorf("join job: %w", errNotStarted)
	}
	e, secret, err := takeEnvironment()
	if err != nil {
		return nil, fmt.Errorf("join job: %w", err)
	}
	if o.Transport != "" && o.Transport != connect.ByAuto {
		e.transport = o.Transport
	}
	m, err := e.join(ctx, secret, o.Log)
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
	conn, err := e.reachLauncher(ctx, secret, identity)
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
// must come before Close, and takes at most 5 seconds. Other launchers are told nothing.
func (m *Member) Complain(err error) {
	if m.line != nil {
		complain(m.line.conn, err)
	}
}

// Close ends the line to the launcher, after the Transport was closed. Gone stays open if it was. It may be called again.
func (m *Member) Close() error {
	if m.line == nil {
		return nil
	}
	return m.line.close()
}

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
