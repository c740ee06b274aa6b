package netio

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// shmMeeting is where the processes of one host give each other their memory: over Unix sockets, after both ends have
// proven that they know the job's secret. Each dials those below its own number, as with TCP.
type shmMeeting struct {
	c      *TCPConfig
	offer  *shmOffer
	gate   handshake.Gate
	failed chan error // capacity 1: the first reason to give up
	open   context.Context
	shut   context.CancelFunc

	mu      sync.Mutex
	links   map[int]*shmLink // by process
	changed chan struct{}    // capacity 1: links has changed
}

// memoryLane is the number of these connections in a [handshake.Hello], after those of the lanes.
const memoryLane = laneCount

func newShmMeeting(c *TCPConfig, o *shmOffer) *shmMeeting {
	m := &shmMeeting{
		c: c, offer: o, links: make(map[int]*shmLink), failed: make(chan error, 1), changed: make(chan struct{}, 1),
	}
	m.open, m.shut = context.WithCancel(context.Background())
	m.gate = handshake.Gate{
		Listener: sameUsers{o.door, c}, Secret: c.Secret, Mine: c.hello(memoryLane), Limit: c.HandshakeLimit, Log: c.Log,
		Members: c.Place.above(), Welcome: m.welcome, Mismatch: m.fail,
	}
	return m
}

// sameUsers is a listener that nobody but this process's user gets through.
type sameUsers struct {
	*net.UnixListener
	c *TCPConfig
}

func (l sameUsers) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if err := sameUser(conn); err != nil {
			conn.Close()
			l.c.Log.Warn("refuse connection", "error", err)
			continue
		}
		return conn, nil
	}
}

// near lists the other processes of this host.
func (m *shmMeeting) near(tcp *TCP) (near []int) {
	for process, p := range tcp.peers {
		if p == nil {
			continue
		}
		p.mu.Lock()
		if p.memory.Host == m.c.memory.Host {
			near = append(near, process)
		}
		p.mu.Unlock()
	}
	return near
}

// meet returns when all processes of this host share their memory with this one.
func (m *shmMeeting) meet(ctx context.Context, tcp *TCP, near []int) error {
	var dials sync.WaitGroup
	defer dials.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // runs before the wait
	var contacts []*contact
	for _, process := range slices.Backward(near) {
		if process < m.c.Place.Process {
			contacts = append(contacts, &contact{process: process})
		}
	}
	dials.Go(func() {
		dialAll(ctx, contacts, func(ctx context.Context, c *contact) bool { return m.dial(ctx, c, tcp.peers[c.process].memory.Socket) })
	})
	for {
		missing := m.missing(near)
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-m.changed:
		case err := <-m.failed:
			return err
		case err := <-tcp.events.first:
			return err
		case <-ctx.Done():
			return fmt.Errorf("share memory: %w; use transport %s", m.c.absent(missing, context.Cause(ctx)), ByTCP)
		}
	}
}

// missing lists those near that don't share their memory yet.
func (m *shmMeeting) missing(near []int) (missing []int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, process := range near {
		if m.links[process] == nil {
			missing = append(missing, process)
		}
	}
	return missing
}

// leave lets nobody else in, and drops who is being met.
func (m *shmMeeting) leave() {
	m.shut()
	m.gate.Close()
}

// forget drops what was met.
func (m *shmMeeting) forget() {
	m.leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.links {
		l.bell.file.Close()
	}
}

func (m *shmMeeting) fail(err error) {
	select {
	case m.failed <- err:
	default:
	}
}

// dial tells whether to dial again, as after a greeting that has ended early: others may crowd at the same door.
func (m *shmMeeting) dial(ctx context.Context, c *contact, socket string) (again bool) {
	err := m.dialOnce(ctx, c.process, socket)
	if err == nil || ctx.Err() != nil {
		return false
	}
	if c.refusals++; c.refusals == refusalsMax {
		m.fail(fmt.Errorf("share memory with process %d: %w", c.process, err))
		return false
	}
	return true
}

func (m *shmMeeting) dialOnce(ctx context.Context, process int, socket string) error {
	dialer := net.Dialer{Timeout: m.c.HandshakeLimit}
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := sameUser(conn.(*net.UnixConn)); err != nil {
		return err
	}
	hello, err := handshake.Client(conn, m.c.Secret, m.c.hello(memoryLane), m.c.HandshakeLimit)
	if err != nil {
		return err
	}
	if hello.Process != process {
		return fmt.Errorf("process %d answers", hello.Process)
	}
	return m.swap(conn, hello)
}

// welcome takes a connection that was accepted.
func (m *shmMeeting) welcome(conn net.Conn, hello handshake.Hello) {
	defer conn.Close()
	stop := context.AfterFunc(m.open, func() { conn.Close() })
	defer stop()
	var err error
	if hello.Process <= m.c.Place.Process {
		err = fmt.Errorf("two processes have its number, or it dialled the wrong one")
	} else {
		err = m.swap(conn, hello)
	}
	if err != nil {
		m.fail(fmt.Errorf("share memory with process %d: %w", hello.Process, err))
	}
}

// swap gives another process our memory and bell, and takes its. It has no limit of its own: an end that gave up could not
// know whether the other one has what it needs. The caller closes conn when the start ends.
func (m *shmMeeting) swap(conn net.Conn, hello handshake.Hello) error {
	place := m.c.Place
	if hello.Lane != memoryLane && hello.Process > place.Process || hello.Role != handshake.RolePeer ||
		hello.Ranks != place.Ranks || hello.Processes != place.Processes || hello.Process < 0 || hello.Process >= place.Processes {
		return fmt.Errorf("it was started for %d ranks in %d processes, this one for %d in %d",
			hello.Ranks, hello.Processes, place.Ranks, place.Processes)
	}
	unix := conn.(*net.UnixConn)
	if err := sendFiles(unix, [descriptorCount]*os.File{m.offer.memory, m.offer.bell}); err != nil {
		return fmt.Errorf("give it our memory: %w", err)
	}
	files, err := receiveFiles(unix)
	if err != nil {
		return fmt.Errorf("take its memory: %w", err)
	}
	defer files[0].Close()
	theirs := PlaceOf(place.Ranks, place.Processes, hello.Process)
	r, err := openRegion(files[0], theirs)
	if err == nil {
		err = m.enter(newShmLink(theirs, r, files[1]))
	}
	if err != nil {
		files[1].Close()
	}
	return err
}

func (m *shmMeeting) enter(l *shmLink) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.links[l.place.Process] != nil {
		return errTwice
	}
	m.links[l.place.Process] = l
	select {
	case m.changed <- struct{}{}:
	default:
	}
	return nil
}

func newShmLink(p Place, r *region, file *os.File) *shmLink {
	l := &shmLink{place: p, region: r, lanes: make([]shmLane, p.Last-p.First), bell: bell{file: file, region: r}}
	for i := range l.lanes {
		l.lanes[i].ring, l.lanes[i].returns = r.ring(p.First+i), r.returnsOf(p.First+i)
	}
	return l
}
