package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Started reports whether this process should join a job: [Run] has started it, or another launcher has, as one of
// several tasks. If alone is true, or PEBBLES_ALONE=1 in the environment, each task of another launcher runs its own
// job. It returns true for an inconsistent environment too; [Join] returns the error.
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

// ours reports whether [Run] has started this process. [Join] removes the variable.
func ours() bool {
	_, ok := os.LookupEnv(varJob)
	return ok
}

// Member is this process as a member of its job.
type Member struct {
	// Transport is connected as Options.Connect sets, but not started. The caller owns it, and must close it before the
	// Member.
	Transport netio.Transport
	Job       string // the job's id
	Place     netio.Place

	line *line // nil for a task of another launcher
}

// Within returns a context that ends with ctx, when stop is called, and by [ErrLauncherGone] when the launcher is lost,
// however it ended. The process must then end within 5 seconds, with [ExitFollower]. Launchers other than [Run] end
// their tasks themselves.
func (m *Member) Within(ctx context.Context) (within context.Context, stop func()) {
	within, cancel := context.WithCancelCause(ctx)
	if m.line == nil {
		return within, func() { cancel(nil) }
	}
	unwatch := context.AfterFunc(m.line.context, func() { cancel(ErrLauncherGone) })
	return within, func() {
		unwatch()
		cancel(nil)
	}
}

// Options configure the joining of a job.
type Options struct {
	// Transport connects the processes, as for [connect.Dial]. For "" and [connect.ByAuto] the launcher's setting
	// applies, or else PEBBLES_TRANSPORT in the environment.
	Transport string
	// Connect sets when processes connect with each other, as in [tcp.Config]. For "" the launcher's setting applies,
	// or else PEBBLES_CONNECT in the environment.
	Connect string
	// Ranks is the number of ranks of a job of another launcher's tasks, unless PEBBLES_RANKS is set. 0 is one for each
	// core that they may use. A job that [Run] has started has the number given there.
	Ranks int
	// Alone is as for [Started].
	Alone bool
	// Log, which may be nil, reports refused strangers and lost processes.
	Log *slog.Logger
}

// Via is a transport between processes, with its settings for libfabric. Its String is for the Transport of [Options]
// and [Spec].
type Via struct {
	Transport string // as for connect.Dial; "" is connect.ByAuto
	Provider  string // of libfabric; "" is the first with hardware
	Pinned    int64  // maximum number of pinned bytes per process; 0 is the system's limit
	Insecure  bool   // allow providers that listen on the open network
	TLS       bool   // encrypt all connections over TCP
}

// String returns the name for connect.Dial.
func (v Via) String() string {
	fabric := connect.Fabric{Provider: v.Provider, Pinned: v.Pinned, Insecure: v.Insecure}
	name := connect.With(cmp.Or(v.Transport, connect.ByAuto), fabric)
	if v.TLS {
		return connect.Encrypted(name)
	}
	return name
}

// Join makes this process a member of the job that its environment describes, and returns when it is connected as
// Options.Connect sets, at the latest after the start limit. It removes the secret and the variables of the job or of
// this process's task from the environment (of another launcher: PMI_FD, PMI_RANK, PMI_SIZE, PMIX_RANK,
// OMPI_COMM_WORLD_RANK and _SIZE, SLURM_STEP_ID, JOB_COMPLETION_INDEX), so that it can be called once, and children of
// this process do not take part. The error names the remedy; [StatusOf] returns the exit status for it.
//
// Join recognises launchers in this order: [Run]; a launcher with PMI-1 (PMI_FD); mpirun of Open MPI
// (OMPI_COMM_WORLD_SIZE); srun (SLURM_STEP_ID); Kubernetes, or any other that sets PEBBLES_PROCESSES.
// docs/guide-clusters.md has an example of each.
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
	e, secret, err := loadEnvironment()
	if err != nil {
		return nil, fmt.Errorf("join job: %w", err)
	}
	e.choose(o.Transport)
	e.connect = cmp.Or(o.Connect, e.connect)
	m, err := e.join(ctx, secret, o.Log)
	if err != nil {
		return nil, fmt.Errorf("join job %s as process %d: %w", e.job, e.process, err)
	}
	return m, nil
}

// choose takes the program's transport instead of the launcher's. A job that its launcher encrypts stays encrypted.
func (e *environment) choose(transport string) {
	e.encrypted = connect.IsEncrypted(e.transport)
	if transport != "" && transport != connect.ByAuto {
		e.transport = transport
	}
	if e.encrypted {
		e.transport = connect.Encrypted(e.transport)
	}
}

func (e environment) join(ctx context.Context, secret []byte, log *slog.Logger) (_ *Member, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.startLimit+lineLimit, e.late())
	defer cancel()
	identity, err := handshake.ThisBuild()
	if err != nil {
		return nil, err
	}
	conn, err := e.connectLauncher(ctx, secret, identity)
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
	addresses, err := e.exchangeAddresses(ctx, conn, listener.Addr().String())
	if err != nil {
		listener.Close()
		return nil, err
	}
	return e.dialOthers(ctx, conn, tcp.Config{
		Job: e.job, Secret: secret, Place: netio.PlaceOf(e.ranks, e.processes, e.process),
		Listener: listener, Addresses: addresses, Identity: identity, StartLimit: e.startLimit,
		SilenceMax: e.silenceLimit, Connect: e.connect, Log: log,
	})
}

func (e environment) late() error {
	return fmt.Errorf("the job has not started within %v; the launcher says who is missing", e.startLimit)
}

// bindAddress returns the address to listen on: the configured one, or else this process's address on its connection to
// the launcher, which is loopback for a job on one machine.
func (e environment) bindAddress(conn net.Conn) string {
	if e.bind != "" {
		return e.bind
	}
	host, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	return host
}

// dialOthers connects this process with others while it watches the connection to the launcher.
func (e environment) dialOthers(ctx context.Context, conn net.Conn, c tcp.Config) (*Member, error) {
	line := watch(conn)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(line.context, func() { cancel(ErrLauncherGone) })()
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
	return &Member{Transport: transport, Job: e.job, Place: c.Place, line: line}, nil
}

// Complain sends the processes that err blames, if any, to the launcher (see [netio.Blamed]), so that its last line can
// name them. It must be called before Close, and takes at most 5 seconds. Other launchers are sent nothing.
func (m *Member) Complain(err error) {
	if m.line != nil {
		complain(m.line.conn, err)
	}
}

// Saved notifies the launcher of a checkpoint, which resets its count of restarts. It takes at most 5 seconds. Other
// launchers are sent nothing.
func (m *Member) Saved() {
	if m.line != nil {
		_ = send(m.line.conn, complaint{Saved: true}) // fails if the launcher is gone, which is seen elsewhere
	}
}

// Close ends the line to the launcher, after the Transport was closed. It may be called again.
func (m *Member) Close() error {
	if m.line == nil {
		return nil
	}
	return m.line.close()
}

// line is the connection to the launcher after the start: nothing arrives on it except its end.
type line struct {
	conn    net.Conn
	context context.Context // ends when the launcher is lost
	once    sync.Once
	closed  chan struct{} // closed by close
	reader  sync.WaitGroup
	err     error // of close
}

func watch(conn net.Conn) *line {
	ctx, gone := context.WithCancelCause(context.Background())
	l := &line{conn: conn, context: ctx, closed: make(chan struct{})}
	l.reader.Go(func() {
		_, _ = io.Copy(io.Discard, conn)
		select {
		case <-l.closed:
		default:
			gone(ErrLauncherGone)
		}
	})
	return l
}

func (l *line) lost() bool { return l.context.Err() != nil }

func (l *line) close() error {
	l.once.Do(func() {
		close(l.closed)
		if err := l.conn.Close(); !errors.Is(err, net.ErrClosed) {
			l.err = err
		}
		l.reader.Wait()
	})
	return l.err
}

// lineLimit bounds each single step with the launcher: to dial, to greet, to send a message.
const lineLimit = 5 * time.Second

// keepAlive detects a host that has vanished without closing its connection.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 3 * time.Second, Interval: time.Second, Count: 5}

// connectLauncher returns the connection to the launcher, after both ends have proven the secret. A launcher that drops
// this process, since too many others dial it, is dialled again until ctx ends.
func (e environment) connectLauncher(
	ctx context.Context, secret []byte, identity handshake.Identity,
) (net.Conn, error) {
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
	undo := context.AfterFunc(ctx, func() { conn.Close() })
	defer undo()
	mine := handshake.Hello{
		Role: handshake.RoleProcess, Job: e.job, Process: e.process, Processes: e.processes, Ranks: e.ranks,
		Encrypted: e.encrypted, Identity: identity,
	}
	line, theirs, err := handshake.Client(conn, secret, mine, e.startLimit)
	if err == nil && theirs.Role != handshake.RoleLauncher {
		err = fmt.Errorf("%s is a %s of the job, not its launcher", e.launcher, theirs.Role)
	}
	if !undo() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("greet launcher: %w", err)
	}
	return line, nil
}

// exchangeAddresses sends the launcher this process's address, and waits for the addresses of all.
func (e environment) exchangeAddresses(ctx context.Context, conn net.Conn, address string) ([]string, error) {
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })() // long ago: ends the read
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
