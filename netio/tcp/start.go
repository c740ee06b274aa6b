package tcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"syscall"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// Dial connects this process with all others of its job, and returns when all are. It owns the listener: it dials the
// processes below its own number, accepts the others, and then closes it, so that a running job has nothing to knock
// at. Strangers are refused and logged. A member of another build, byte order or registry makes the start fail on all
// processes, as does the end of ctx.
func Dial(ctx context.Context, c Config) (*Transport, error) {
	if err := c.complete(); err != nil {
		if c.Listener != nil {
			c.Listener.Close()
		}
		return nil, fmt.Errorf("start transport: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.StartLimit,
		fmt.Errorf("not connected within %v: %w", c.StartLimit, context.DeadlineExceeded))
	defer cancel()
	t := newTransport(c)
	s := &starting{t: t, failed: make(chan error, 1), complete: make(chan struct{})}
	err := t.open()
	if err != nil {
		c.Listener.Close()
	} else if err = s.run(ctx); err == nil && c.layer != nil {
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

// starting connects a transport's streams.
type starting struct {
	t        *Transport
	failed   chan error    // capacity 1: the first reason to give up
	complete chan struct{} // closed when nothing is missing

	mu      sync.Mutex
	missing map[int]int // streams by process
	last    error       // the last failure that was no reason to give up
}

func (s *starting) run(ctx context.Context) error {
	c := &s.t.config
	if err := checkFiles(c.Place.Processes, filesAllowed()); err != nil {
		return errors.Join(err, c.Listener.Close())
	}
	s.missing = make(map[int]int)
	for _, p := range s.t.others {
		s.missing[p.place.Process] = streamCount
	}
	if len(s.missing) == 0 {
		return c.Listener.Close()
	}
	gate := &handshake.Gate{
		Listener: c.Listener, Secret: c.Secret, Mine: c.Inside(access).Hello(0), Limit: c.HandshakeLimit, Log: c.Log,
		Members: streamCount * (c.Place.Processes - 1 - c.Place.Process), Welcome: s.welcome, Mismatch: s.fail,
	}
	gate.Open()
	defer gate.Close()
	var dials sync.WaitGroup
	defer dials.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // runs before the wait
	dials.Go(func() { handshake.DialAll(ctx, s.contacts(), s.dial) })
	return s.wait(ctx)
}

// spareFiles are the open files of a process besides its streams: those of the program, and connections that are being
// greeted.
const spareFiles = 64

// filesAllowed is how many files this process may have open; 0 where it can't be read. Go has raised the soft limit to
// the hard one when the program started.
func filesAllowed() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Cur
}

// FilesNeeded returns the number of open files that a process needs in a job of that many processes.
func FilesNeeded(processes int) int { return streamCount*(processes-1) + spareFiles }

// checkFiles returns an error if a process of a job may not have as many open files as it needs.
func checkFiles(processes int, allowed uint64) error {
	need := uint64(FilesNeeded(processes))
	if allowed == 0 || need <= allowed {
		return nil
	}
	return fmt.Errorf("a process of %d needs %d open files, %d for each other one, and %d are allowed: "+
		"raise the limit with `ulimit -n %d` on each host, or start fewer processes",
		processes, need, streamCount, allowed, need)
}

// contacts are the streams that this process dials. It begins with the process next below its own number, so that the
// first dials of all are spread over the job.
func (s *starting) contacts() (contacts []*handshake.Contact) {
	for process := s.t.place.Process - 1; process >= 0; process-- {
		for stream := range uint8(streamCount) {
			contacts = append(contacts, &handshake.Contact{Process: process, Lane: stream})
		}
	}
	return contacts
}

func (s *starting) wait(ctx context.Context) error {
	select {
	case <-s.complete:
		return nil
	case err := <-s.failed:
		return err
	case err := <-s.t.events.first: // a process that was connected has left
		return err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := way.Absent(s.t.config.Addresses, slices.Sorted(maps.Keys(s.missing)), context.Cause(ctx))
	if s.last != nil {
		err = fmt.Errorf("%w; last failure: %w", err, s.last)
	}
	return err
}

// fail ends the start, unless it has ended.
func (s *starting) fail(err error) {
	select {
	case s.failed <- err:
	default:
	}
}

// welcome takes a connection that was accepted.
func (s *starting) welcome(conn net.Conn, hello handshake.Hello) {
	if hello.Process <= s.t.place.Process {
		conn.Close()
		s.fail(fmt.Errorf("accept process %d: two processes have this number, or it dialled the wrong one", hello.Process))
		return
	}
	if err := s.admit(conn, hello); err != nil {
		conn.Close()
		s.fail(err)
	}
}

// admit gives a stream its connection. A member that doesn't fit the job is a fault in how the job was started.
func (s *starting) admit(conn net.Conn, hello handshake.Hello) error {
	place := s.t.place
	switch {
	case hello.Role != handshake.RolePeer || hello.Lane >= streamCount:
		return fmt.Errorf("admit process %d: it came as %q, connection %d", hello.Process, hello.Role, hello.Lane)
	case hello.Ranks != place.Ranks || hello.Processes != place.Processes:
		return fmt.Errorf("admit process %d: it was started for %d ranks in %d processes, this one for %d in %d",
			hello.Process, hello.Ranks, hello.Processes, place.Ranks, place.Processes)
	case hello.Process < 0 || hello.Process >= place.Processes:
		return fmt.Errorf("admit process %d: the job has %d", hello.Process, place.Processes)
	}
	if err := tune(conn); err != nil {
		return fmt.Errorf("admit process %d: %w", hello.Process, err)
	}
	if err := s.t.peers[hello.Process].join(hello.Lane, conn); err != nil {
		return err
	}
	s.joined(hello.Process, hello.Offers)
	return nil
}

func (s *starting) joined(process int, offers map[string]handshake.Offer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.t.peers[process].offers = offers
	if s.missing[process]--; s.missing[process] == 0 {
		delete(s.missing, process)
	}
	if len(s.missing) == 0 {
		close(s.complete)
	}
}

// tune lets small frames leave at once. The sizes of socket buffers are left to the kernel, which lets them grow with
// the traffic; asking for one would fix it, and at less.
func tune(conn net.Conn) error {
	if c, ok := handshake.Socket(conn).(*net.TCPConn); ok {
		if err := c.SetNoDelay(true); err != nil {
			return fmt.Errorf("set TCP_NODELAY: %w", err)
		}
	}
	return nil
}

// dial dials a stream, and reports whether to dial again: other processes may start later.
func (s *starting) dial(ctx context.Context, c *handshake.Contact) (again bool) {
	err := s.dialOnce(ctx, c.Process, c.Lane)
	if err == nil || ctx.Err() != nil {
		return false
	}
	err = fmt.Errorf("dial process %d: %w", c.Process, err)
	s.mu.Lock()
	s.last = err
	s.mu.Unlock()
	if c.Hopeless(err) {
		s.fail(err)
		return false
	}
	return true
}

func (s *starting) dialOnce(ctx context.Context, process int, number uint8) error {
	c := &s.t.config
	dialer := net.Dialer{Timeout: c.HandshakeLimit}
	raw, err := dialer.DialContext(ctx, "tcp", c.Addresses[process])
	if err != nil {
		return err
	}
	undo := context.AfterFunc(ctx, func() { raw.Close() })
	conn, hello, err := handshake.Client(raw, c.Secret, c.Inside(access).Hello(number), c.HandshakeLimit)
	if !undo() && err == nil {
		err = context.Cause(ctx)
	}
	hello.Lane = number // the other end greets before it knows which stream this is
	if err == nil && hello.Process != process {
		err = fmt.Errorf("process %d answers at %s", hello.Process, c.Addresses[process])
	}
	if err == nil {
		if err = s.admit(conn, hello); err != nil {
			s.fail(err)
		}
	}
	if err != nil {
		raw.Close()
	}
	return err
}
