package tcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// Dial connects this process with others of its job, as Config.Connect sets, and returns when all connections of the
// start are made. It owns the listener: it dials processes below its own number and accepts the others. It closes the
// listener once all are connected, so that strangers can't reach a running job; with ConnectNeed, the listener stays
// open until Close. Strangers are refused and logged. A member of another build, byte order or registry makes the start
// fail on all processes that meet it, as does the end of ctx.
func Dial(ctx context.Context, c Config) (*Transport, error) {
	if err := c.complete(); err != nil {
		if c.Listener != nil {
			c.Listener.Close()
		}
		return nil, fmt.Errorf("start transport: %w", err)
	}
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, c.StartLimit,
		fmt.Errorf("not connected within %v: %w", c.StartLimit, context.DeadlineExceeded))
	defer cancel()
	t := newTransport(c)
	t.connector.slow = began.Add(c.StartLimit)
	err := t.open()
	if err != nil {
		c.Listener.Close()
	} else if err = t.connector.start(ctx); err == nil && c.layer != nil {
		err = c.layer.Meet(ctx)
	}
	if err != nil {
		err = fmt.Errorf("start transport: %w", err)
		t.Abort(err.Error())
		t.Close()
		return nil, err
	}
	return t, nil
}

// starting is the start of a transport.
type starting struct {
	failed   chan error    // capacity 1: the first failure of the start
	complete chan struct{} // closed when nothing is missing

	state   sync.Mutex
	missing map[*stream]bool
	last    error // the last failure that allowed another try
}

func newStarting() starting {
	return starting{failed: make(chan error, 1), complete: make(chan struct{}), missing: make(map[*stream]bool)}
}

// start makes the connections of the start.
func (c *connector) start(ctx context.Context) error {
	config := &c.t.config
	if err := checkFiles(config, filesAllowed()); err != nil {
		return errors.Join(err, config.Listener.Close())
	}
	if c.t.place.Processes == 1 {
		return config.Listener.Close()
	}
	first := c.t.first()
	for _, l := range first {
		c.missing[l] = true
		l.wanted.Store(true)
	}
	c.gate = handshake.Gate{
		Listener: config.Listener, Secret: config.Secret, Mine: config.Inside(access).Hello(0),
		Limit: config.HandshakeLimit, Log: config.Log, Members: streamCount * (c.t.place.Processes - 1),
		Welcome: c.welcome, Mismatch: c.fail, Wanted: c.wants, Leave: c.leave,
	}
	c.gate.Open()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, l := range first {
		if l.peer.place.Process < c.t.place.Process {
			c.dials.Go(func() { c.begin(ctx, l) })
		}
	}
	err := c.wait(ctx)
	select { // from here on, fail logs
	case c.failed <- nil:
	default:
	}
	if err != nil || config.Connect == ConnectAll {
		cancel()
		c.stop()
		return err
	}
	c.mu.Lock()
	c.open = true
	c.mu.Unlock()
	return nil
}

// begin connects a stream of the start. Other processes may start later.
func (c *connector) begin(ctx context.Context, l *stream) {
	err := c.reach(ctx, l, func(err error) bool {
		if ctx.Err() != nil {
			return false
		}
		c.state.Lock()
		defer c.state.Unlock()
		c.last = err
		return true
	})
	if err != nil && ctx.Err() == nil {
		c.fail(err)
	}
}

// spareFiles is the number of open files of a process besides its streams: those of the program, and connections that
// are being greeted.
const spareFiles = 64

// filesAllowed returns the number of files that this process may open; 0 if unknown. Go has raised the soft limit to
// the hard one at the start of the program.
func filesAllowed() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Cur
}

// FilesNeeded returns the number of open files that a process of a job needs at least, with the given setting of
// Connect; "" is the default.
func FilesNeeded(processes int, connect string) int {
	others := processes - 1
	if connectOr(connect, processes) == ConnectNeed {
		others = min(others, bits.Len(uint(processes-1)))
	}
	return streamCount*others + spareFiles
}

// checkFiles returns an error if a process may not open the files that it needs.
func checkFiles(c *Config, allowed uint64) error {
	processes := c.Place.Processes
	need := uint64(FilesNeeded(processes, c.Connect))
	if allowed == 0 || need <= allowed {
		return nil
	}
	return fmt.Errorf("a process of %d needs %d open files, %d for each one that it connects with, and %d are allowed: "+
		"raise the limit with `ulimit -n %d` on each host, or start fewer processes",
		processes, need, streamCount, allowed, need)
}

func (c *connector) wait(ctx context.Context) error {
	select {
	case <-c.complete:
		return nil
	case err := <-c.failed:
		return err
	case err := <-c.t.events.first: // a process that was connected has left
		return err
	case <-ctx.Done():
	}
	c.state.Lock()
	defer c.state.Unlock()
	processes := make(map[int]bool)
	for l := range c.missing {
		processes[l.peer.place.Process] = true
	}
	err := way.Absent(c.t.config.Addresses, slices.Sorted(maps.Keys(processes)), context.Cause(ctx))
	if c.last != nil {
		err = fmt.Errorf("%w; last failure: %w", err, c.last)
	}
	return err
}

// fail ends the start. After the start, it logs a member that doesn't fit.
func (c *connector) fail(err error) {
	select {
	case c.failed <- err:
	default:
		c.t.config.Log.Warn("refuse connection", "error", err)
	}
}

// joined records that a stream is connected.
func (s *starting) joined(l *stream, offers map[string]handshake.Offer) {
	s.state.Lock()
	defer s.state.Unlock()
	if !s.missing[l] {
		return
	}
	l.peer.offers = offers
	delete(s.missing, l)
	if len(s.missing) == 0 {
		close(s.complete)
	}
}
