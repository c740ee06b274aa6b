package netio

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// TCPConfig says what [DialTCP] needs to know. All processes of a job are given the same, but for Place and Listener.
type TCPConfig struct {
	Job       string       // the job's id
	Secret    []byte       // 32 bytes
	Place     Place        // of this process; spread by [Spread]
	Listener  net.Listener // bound already, by [ListenTCP]; DialTCP takes ownership
	Addresses []string     // where each process listens, by process
	Identity  handshake.Identity

	HandshakeLimit time.Duration // of one greeting; default 5 s
	StartLimit     time.Duration // until all processes are connected; default 30 s
	SilenceMax     time.Duration // a peer that says nothing for so long is lost; default 10 s
	CloseLimit     time.Duration // of Close; default 5 s
	Log            *slog.Logger  // may be nil

	memory handshake.Memory // what this process offers
	served bool             // goroutines serve the lanes, as they do where sockets can't be polled
}

const secretBytes = 32

// validate fills in defaults and refuses what can't work.
func (c *TCPConfig) validate() error {
	setDefault(&c.HandshakeLimit, handshake.DefaultLimit)
	setDefault(&c.StartLimit, 30*time.Second)
	setDefault(&c.SilenceMax, 10*time.Second)
	setDefault(&c.CloseLimit, 5*time.Second)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	p := c.Place
	switch {
	case c.Listener == nil:
		return errors.New("there is no listener")
	case len(c.Secret) != secretBytes:
		return fmt.Errorf("the secret has %d bytes, it needs %d", len(c.Secret), secretBytes)
	case p.Processes <= 0 || p.Process < 0 || p.Process >= p.Processes || p.Ranks < p.Processes:
		return fmt.Errorf("process %d of %d with %d ranks can't be", p.Process, p.Processes, p.Ranks)
	case p != PlaceOf(p.Ranks, p.Processes, p.Process):
		return fmt.Errorf("process %d has ranks %d-%d, not those that Spread gives it", p.Process, p.First, p.Last-1)
	case len(c.Addresses) != p.Processes:
		return fmt.Errorf("there are %d addresses for %d processes", len(c.Addresses), p.Processes)
	}
	return nil
}

func setDefault(v *time.Duration, to time.Duration) {
	if *v <= 0 {
		*v = to
	}
}

func (c *TCPConfig) hello(lane uint8) handshake.Hello {
	return handshake.Hello{
		Role: handshake.RolePeer, Job: c.Job, Process: c.Place.Process, Processes: c.Place.Processes,
		Ranks: c.Place.Ranks, Lane: lane, Identity: c.Identity,
		Memory: c.memory,
	}
}

// absent is the error for processes that are not connected.
func (c *TCPConfig) absent(processes []int, cause error) error {
	e := &AbsentError{Processes: processes, Cause: cause}
	for _, p := range processes {
		e.Addresses = append(e.Addresses, c.Addresses[p])
	}
	return e
}
