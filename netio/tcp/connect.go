package tcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// connector makes the connections of a transport: those of the start, and every other one when its stream is first
// used. Frames wait on their own stream until it is connected. If both ends dial at the same time, the end with the
// higher process number wins.
type connector struct {
	t       *Transport
	gate    handshake.Gate
	dialler *handshake.Dialler
	slow    time.Time       // until then, processes may still be starting
	life    context.Context // ends with the transport
	end     context.CancelFunc
	dials   sync.WaitGroup
	starting

	mu   sync.Mutex
	open bool // streams may be dialled on their first use
}

// init is called before the start.
func (c *connector) init(t *Transport) {
	c.t, c.dialler, c.starting = t, handshake.NewDialler(), newStarting()
	c.life, c.end = context.WithCancel(context.Background())
}

// want begins to connect a stream, unless that has begun.
func (c *connector) want(l *stream) {
	if l.wanted.Load() || c.t.down.Load() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open && !l.wanted.Swap(true) {
		c.dials.Go(func() { c.use(l) })
	}
}

// use connects a stream that has frames, or loses the peer.
func (c *connector) use(l *stream) {
	limit := time.Now().Add(c.t.config.SilenceMax)
	if limit.Before(c.slow) {
		limit = c.slow
	}
	ctx, cancel := context.WithDeadline(c.life, limit)
	defer cancel()
	err := c.reach(ctx, l, func(err error) bool { return !errors.Is(err, syscall.ECONNREFUSED) })
	switch {
	case err == nil:
	case errors.Is(err, syscall.ECONNREFUSED): // it has ended: the reason may be on its way
		l.peer.endLater(noticeDelayMax, l.peer.lost(err))
	default:
		l.peer.lose(err)
	}
}

// reach dials until the stream is connected, from either end, or a failure rules out another try.
func (c *connector) reach(ctx context.Context, l *stream, passes func(error) bool) error {
	var refusals handshake.Refusals
	return c.dialler.Reach(ctx, func(ctx context.Context) (again bool, err error) {
		err = c.dial(ctx, l)
		if l.settled() {
			return false, nil
		}
		err = fmt.Errorf("dial process %d: %w", l.peer.place.Process, err)
		return passes(err) && !refusals.Hopeless(err), err
	})
}

// dial dials a stream once.
func (c *connector) dial(ctx context.Context, l *stream) error {
	if !l.mayDial() {
		return handshake.ErrCrossed
	}
	defer l.endDial()
	process, config := l.peer.place.Process, &c.t.config
	raw, err := config.dial(ctx, "tcp", config.Addresses[process])
	if errors.Is(err, syscall.EMFILE) {
		err = fmt.Errorf("%w: raise the limit with `ulimit -n` on each host, or use a topology with fewer neighbours", err)
	}
	if err != nil {
		return err
	}
	undo := context.AfterFunc(ctx, func() { raw.Close() })
	conn, hello, err := handshake.Client(raw, config.Secret, config.Inside(access).Hello(uint8(l.number)),
		config.HandshakeLimit)
	if !undo() && err == nil {
		err = context.Cause(ctx)
	}
	hello.Lane = uint8(l.number) // the other end greets before it has the number of the stream
	if err == nil && hello.Process != process {
		err = fmt.Errorf("process %d answers at %s", hello.Process, config.Addresses[process])
	}
	if err == nil {
		if err = c.take(conn, hello); err != nil {
			c.fail(err)
		}
	}
	if err != nil {
		raw.Close()
	}
	return err
}

// wants reports whether a connection dialled by another process is wanted. One that doesn't fit the job is accepted, so
// that take reports the reason.
func (c *connector) wants(hello handshake.Hello) bool {
	return c.fits(hello) != nil || c.t.peer(hello.Process).streams[hello.Lane].mayAnswer()
}

// leave is called if a wanted connection fails.
func (c *connector) leave(hello handshake.Hello) {
	if c.fits(hello) == nil {
		c.t.peer(hello.Process).streams[hello.Lane].endAnswer()
	}
}

// welcome takes a connection that was accepted.
func (c *connector) welcome(conn net.Conn, hello handshake.Hello) {
	if err := c.take(conn, hello); err != nil {
		conn.Close()
		c.fail(err)
	}
}

// fits returns an error for a member that doesn't fit the job, which is a fault in the start of the job.
func (c *connector) fits(hello handshake.Hello) error {
	place, config := c.t.place, &c.t.config
	switch {
	case hello.Role != handshake.RolePeer || hello.Lane >= streamCount:
		return fmt.Errorf("admit process %d: it came as %q, connection %d", hello.Process, hello.Role, hello.Lane)
	case hello.Ranks != place.Ranks || hello.Processes != place.Processes:
		return fmt.Errorf("admit process %d: it was started for %d ranks in %d processes, this one for %d in %d",
			hello.Process, hello.Ranks, hello.Processes, place.Ranks, place.Processes)
	case hello.Process < 0 || hello.Process >= place.Processes:
		return fmt.Errorf("admit process %d: the job has %d", hello.Process, place.Processes)
	case hello.Process == place.Process:
		return fmt.Errorf("admit process %d: two processes have this number, or it dialled the wrong one", hello.Process)
	case hello.Connect != config.Connect:
		return fmt.Errorf("admit process %d: it connects %q, this one %q: give all processes the same setting",
			hello.Process, hello.Connect, config.Connect)
	}
	return nil
}

// take gives a stream its connection.
func (c *connector) take(conn net.Conn, hello handshake.Hello) error {
	if err := c.fits(hello); err != nil {
		return err
	}
	if err := tune(conn); err != nil {
		return fmt.Errorf("admit process %d: %w", hello.Process, err)
	}
	p := c.t.peer(hello.Process)
	if err := p.join(hello.Lane, conn); err != nil {
		return err
	}
	c.joined(p.streams[hello.Lane], hello.Offers)
	return nil
}

// tune lets small frames leave at once. The kernel chooses the sizes of socket buffers, and lets them grow with the
// traffic; setting a size would fix it, at a lower value.
func tune(conn net.Conn) error {
	if c, ok := handshake.Socket(conn).(*net.TCPConn); ok {
		if err := c.SetNoDelay(true); err != nil {
			return fmt.Errorf("set TCP_NODELAY: %w", err)
		}
	}
	return nil
}

// settle prevents new dials, and waits for running ones, at most until the limit: frames wait for them.
func (c *connector) settle(limit time.Duration) {
	c.mu.Lock()
	c.open = false
	c.mu.Unlock()
	timer := time.AfterFunc(limit, c.end)
	defer timer.Stop()
	c.dials.Wait()
}

// stop ends dials, and closes the gate. It may be called again.
func (c *connector) stop() {
	c.end()
	c.settle(0)
	if c.gate.Listener != nil {
		c.gate.Close()
	}
}
