package shm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/way"
)

// meeting exchanges the memory of the processes of one host over Unix sockets, after both ends have proven that they
// have the job's secret. Each process dials those below its number, as with TCP.
type meeting struct {
	c      *way.Config
	w      *Way
	gate   handshake.Gate
	failed chan error // capacity 1: first reason to give up
	open   context.Context
	shut   context.CancelFunc

	mu   sync.Mutex // guards peers of w until all have met
	last error      // last failure that was no reason to give up
	met  chan int   // linked processes
}

// memoryLane is the lane of these connections in a [handshake.Hello], after the lanes of TCP's streams.
const memoryLane = 2

// newMeeting opens the gate for other processes.
func newMeeting(c *way.Config, w *Way, socket *net.UnixListener) *meeting {
	m := &meeting{c: c, w: w, failed: make(chan error, 1), met: make(chan int, c.Place.Processes)}
	m.open, m.shut = context.WithCancel(context.Background())
	m.gate = handshake.Gate{
		Listener: socket, Secret: c.Secret, Mine: c.Hello(memoryLane), Limit: c.HandshakeLimit,
		Log: c.Log, Members: c.Place.Processes - 1 - c.Place.Process, Welcome: m.welcome, Mismatch: m.fail,
		Check: sameUser,
	}
	m.gate.Open()
	return m
}

// strangers names the processes without an address.
func (m *meeting) strangers(addresses map[int]string) string {
	var names []string
	for process, address := range m.c.Addresses {
		if _, ok := addresses[process]; !ok && process != m.c.Place.Process {
			names = append(names, fmt.Sprintf("process %d (%s)", process, address))
		}
	}
	return strings.Join(names, ", ")
}

// meet returns when all processes with an address share their memory with this one.
func (m *meeting) meet(ctx context.Context, line way.LifeLine, addresses map[int]string) error {
	var dials sync.WaitGroup
	defer dials.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // runs before the wait
	dialler := handshake.NewDialler()
	for process := range addresses {
		if process < m.c.Place.Process {
			dials.Go(func() {
				_ = dialler.Reach(ctx, func(ctx context.Context) (again bool, err error) {
					return m.dial(ctx, process, addresses[process])
				})
			})
		}
	}
	missing := maps.Clone(addresses)
	for len(missing) > 0 {
		select {
		case process := <-m.met:
			delete(missing, process)
		case err := <-m.failed:
			return err
		case err := <-line.First():
			return err
		case <-ctx.Done():
			err := way.Absent(m.c.Addresses, slices.Sorted(maps.Keys(missing)), context.Cause(ctx))
			m.mu.Lock()
			defer m.mu.Unlock()
			if m.last != nil {
				err = fmt.Errorf("%w; last failure: %w", err, m.last)
			}
			return fmt.Errorf("share memory: %w; use transport %s", err, "tcp")
		}
	}
	return nil
}

// close refuses further processes and drops those that have not yet met.
func (m *meeting) close() {
	m.shut()
	m.gate.Close()
}

func (m *meeting) fail(err error) {
	select {
	case m.failed <- err:
	default:
	}
}

// dial reports whether to dial again: network failures pass, such as too many processes that dial at the same time.
func (m *meeting) dial(ctx context.Context, process int, socket string) (again bool, err error) {
	err = m.dialOnce(ctx, process, socket)
	if err == nil || ctx.Err() != nil {
		return false, err
	}
	return m.passes(fmt.Errorf("share memory with process %d: %w", process, err)), err
}

// passes reports whether an error is a network failure, and ends the start otherwise. A process whose connection has
// broken dials again. If a process has ended, the life line reports the reason.
func (m *meeting) passes(err error) bool {
	var network *net.OpError
	if !errors.As(err, &network) && !errors.Is(err, io.EOF) && !errors.Is(err, handshake.ErrDropped) {
		m.fail(err)
		return false
	}
	m.mu.Lock()
	m.last = err
	m.mu.Unlock()
	return true
}

func (m *meeting) dialOnce(ctx context.Context, process int, socket string) error {
	dialer := net.Dialer{Timeout: m.c.HandshakeLimit}
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	if err := sameUser(conn); err != nil {
		return err
	}
	_, hello, err := handshake.Client(conn, m.c.Secret, m.c.Hello(memoryLane), m.c.HandshakeLimit)
	if err != nil {
		return err
	}
	if hello.Process != process {
		return fmt.Errorf("process %d answers", hello.Process)
	}
	return m.swap(conn, hello)
}

// welcome takes an accepted connection.
func (m *meeting) welcome(conn net.Conn, hello handshake.Hello) {
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
		m.passes(fmt.Errorf("share memory with process %d: %w", hello.Process, err))
	}
}

// swap exchanges memory and eventfds with another process. It has no time limit: an end that gives up cannot know
// whether the other one has got everything. The caller closes conn when the start ends.
func (m *meeting) swap(conn net.Conn, hello handshake.Hello) error {
	place := m.c.Place
	if hello.Lane != memoryLane && hello.Process > place.Process || hello.Role != handshake.RolePeer ||
		hello.Ranks != place.Ranks || hello.Processes != place.Processes ||
		hello.Process < 0 || hello.Process >= place.Processes {
		return fmt.Errorf("it was started for %d ranks in %d processes, this one for %d in %d",
			hello.Ranks, hello.Processes, place.Ranks, place.Processes)
	}
	unix := conn.(*net.UnixConn)
	if err := sendFiles(unix, [descriptorCount]*os.File{m.w.memory, m.w.event, m.w.exposed}); err != nil {
		return fmt.Errorf("give it our memory: %w", err)
	}
	files, err := receiveFiles(unix)
	if err != nil {
		return fmt.Errorf("take its memory: %w", err)
	}
	defer files[0].Close()
	defer files[2].Close()
	theirs := netio.PlaceOf(place.Ranks, place.Processes, hello.Process)
	l := &peer{}
	r, err := openRegion(files[0], theirs)
	if err == nil {
		l = newPeer(theirs, r, files[1])
		l.segment, err = m.w.shareSegments(conn, files[2], theirs, m.c.Log)
	}
	if err == nil {
		err = m.enter(l)
	}
	if err != nil {
		files[1].Close()
	}
	return err
}

func (m *meeting) enter(l *peer) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.w.peers[l.place.Process] != nil {
		return errors.New("it has come already")
	}
	m.w.peers[l.place.Process] = l
	for rank := l.place.First; rank < l.place.Last; rank++ {
		m.w.byRank[rank] = l
	}
	m.met <- l.place.Process
	return nil
}

func newPeer(p netio.Place, r *region, file *os.File) *peer {
	l := &peer{place: p, region: r, ranks: make([]remoteRank, p.Last-p.First), event: eventfd{file: file, region: r}}
	for i := range l.ranks {
		l.ranks[i].ring, l.ranks[i].releases = r.ring(p.First+i), r.releasesOf(p.First+i)
	}
	return l
}
