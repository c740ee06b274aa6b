package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// Config says what a process knows of its job. All processes are given the same, but for Number, Self and Listener.
type Config struct {
	Number    int // of this process
	Processes int
	Self      Process
	Listener  net.Listener // where its children dial; owned by the call
	// Dial dials an address, as net.Dialer does.
	Dial func(ctx context.Context, address string) (net.Conn, error)
	// Ranks says how many ranks the job has. Process 0 asks it, for all.
	Ranks func([]Process) (int, error)
	Limit time.Duration // how long the start may take
	Log   *slog.Logger  // may be nil

	fanout int // of the tree; 0 is fanoutDefault
}

// At is what processes know beforehand that need no board.
type At struct {
	Secret []byte
	// Address is where a process listens for its children; its host may be a name that can't be resolved yet.
	Address func(process int) string
	// Star has all processes dial process 0: for a job that knows its address alone.
	Star bool
}

// ErrElsewhere says that the start has failed, but not here.
var ErrElsewhere = errors.New("job has failed elsewhere")

// spareTime is how much longer than the limit a process waits for those that are there: they say who is missing.
const spareTime = 2 * time.Second

// Meet returns when this process knows all others. It must be called in all processes. The board is not needed any more when it has
// returned.
func Meet(ctx context.Context, c Config, board Board) (*Job, error) {
	return c.run(ctx, func(ctx context.Context) (proof, []byte, error) {
		p, err := newCards(ctx, c, board)
		return p, nil, err
	})
}

// MeetAt is Meet for processes that know the secret and their addresses.
func MeetAt(ctx context.Context, c Config, a At) (*Job, error) {
	if a.Star {
		c.fanout = max(1, c.Processes-1)
	}
	return c.run(ctx, func(context.Context) (proof, []byte, error) {
		p, err := newKnown(c, a)
		return p, a.Secret, err
	})
}

// proof lets two processes find and know each other.
type proof interface {
	// find returns where a process listens, and what proves to it who this process is.
	find(ctx context.Context, parent int) (address string, prove func(context.Context, net.Conn) (net.Conn, error), err error)
	// guard has a gate let children in, and nobody else.
	guard(ctx context.Context, g *handshake.Gate)
}

func (c Config) tree() tree {
	if c.fanout > 0 {
		return tree{c.Processes, c.fanout}
	}
	return tree{c.Processes, fanoutDefault}
}

func (c Config) run(ctx context.Context, prove func(context.Context) (proof, []byte, error)) (*Job, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	limit, cancel := context.WithTimeoutCause(ctx, c.Limit, fmt.Errorf("the job has not started within %v", c.Limit))
	defer cancel()
	if err := c.Self.check(); err != nil {
		c.Listener.Close()
		return nil, fmt.Errorf("join job: %w", err)
	}
	p, secret, err := prove(limit)
	if err != nil {
		c.Listener.Close()
		return nil, err
	}
	m := newMeeting(c, p, secret)
	defer m.end()
	m.begin(limit)
	job, err := m.wait(ctx, limit)
	if err != nil {
		m.tell(err)
		return nil, err
	}
	return job, nil
}

// gate lets children in.
func (c Config) gate(ctx context.Context, p proof, welcome func(net.Conn, handshake.Hello), mismatch func(error)) *handshake.Gate {
	first, last := c.tree().children(c.Number)
	g := &handshake.Gate{
		Listener: c.Listener, Members: last - first, Limit: c.Limit, Log: c.Log, Welcome: welcome, Mismatch: mismatch,
	}
	p.guard(ctx, g)
	return g
}
