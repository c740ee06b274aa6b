package bootstrap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/bubble"
)

// world is a job that starts in a network in memory, by the clock of a synctest bubble.
type world struct {
	network
	processes int
	fanout    int
	limit     time.Duration
	cuts      int                   // of the first connections to each process
	absent    map[int]bool          // never started
	delay     map[int]time.Duration // time until they start
	dies      map[int]time.Duration // time until they end
	store     *memoryStore
	exchange  exchanger
	ranks     func([]Process) (int, error)
	listeners []*listener
	jobs      []*Job
	errs      []error
	took      time.Duration
}

type exchanger func(ctx context.Context, i int, c Config) (*Job, error)

func newWorld(processes int) *world {
	w := &world{
		network: network{listening: make(map[string]*listener)}, processes: processes, limit: 30 * time.Second,
		absent: make(map[int]bool), delay: make(map[int]time.Duration), dies: make(map[int]time.Duration),
		jobs: make([]*Job, processes), errs: make([]error, processes), listeners: make([]*listener, processes),
	}
	w.store = newMemoryStore()
	w.exchange = func(ctx context.Context, _ int, c Config) (*Job, error) { return Exchange(ctx, c, w.store) }
	w.ranks = func(all []Process) (int, error) {
		for i, p := range all {
			if p != self(i) {
				return 0, fmt.Errorf("process %d is %v", i, p)
			}
		}
		return 3 * len(all), nil
	}
	return w
}

// newKnown returns a world whose processes have the secret and the addresses.
func newKnown(processes int, star bool) *world {
	w := newWorld(processes)
	w.exchange = func(ctx context.Context, _ int, c Config) (*Job, error) {
		return ExchangeAt(ctx, c, Rendezvous{Secret: secret, Address: addressOf, Star: star})
	}
	return w
}

// instead makes one process do something else.
func (w *world) instead(process int, do func(ctx context.Context, c Config, others exchanger) (*Job, error)) *world {
	others := w.exchange
	w.exchange = func(ctx context.Context, i int, c Config) (*Job, error) {
		if i == process {
			return do(ctx, c, others)
		}
		return others(ctx, i, c)
	}
	return w
}

// inWorld runs a test by a simulated clock.
func inWorld(t *testing.T, test func(t *testing.T)) { bubble.Test(t, test) }

var secret = bytes.Repeat([]byte{7}, SecretBytes)

func addressOf(process int) string { return fmt.Sprintf("host-%d:7473", process) }

func self(process int) Process {
	return Process{
		Address: fmt.Sprintf("10.0.%d.%d:4000", process/256, process%256),
		Host:    fmt.Sprintf("host-%d", process/4), CPUs: "0-7", Cores: 8,
	}
}

// run returns when each exchange has returned.
func (w *world) run(ctx context.Context) *world {
	began := time.Now()
	var all sync.WaitGroup
	for i := range w.processes {
		if w.absent[i] {
			continue
		}
		if w.delay[i] == 0 {
			w.listeners[i] = w.listen(addressOf(i))
			w.listeners[i].cuts.Store(int64(w.cuts))
		}
		all.Go(func() {
			if d := w.delay[i]; d > 0 {
				time.Sleep(d)
				w.listeners[i] = w.listen(addressOf(i))
			}
			ctx := ctx
			if d := w.dies[i]; d > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, d, errors.New("it was killed"))
				defer cancel()
			}
			w.jobs[i], w.errs[i] = w.exchange(ctx, i, Config{
				Number: i, Processes: w.processes, Self: self(i), Listener: w.listeners[i], Dial: w.dial(w.listeners[i]),
				Limit: w.limit, fanout: w.fanout, Ranks: w.ranks,
			})
		})
	}
	all.Wait()
	w.took = time.Since(began)
	return w
}

func (w *world) tree() tree { return Config{Processes: w.processes, fanout: w.fanout}.tree() }

// requireJob checks that every process has the complete job.
func (w *world) requireJob(t *testing.T) {
	t.Helper()
	for i, err := range w.errs {
		require.NoError(t, err, "process %d", i)
	}
	root := w.jobs[0]
	require.Len(t, root.Secret, SecretBytes)
	require.Len(t, root.ID, 2*idBytes)
	require.Equal(t, 3*w.processes, root.Ranks)
	for i, a := range root.Addresses {
		require.Equal(t, self(i).Address, a)
	}
	for i, j := range w.jobs {
		require.True(t, j.ID == root.ID && string(j.Secret) == string(root.Secret) && j.Ranks == root.Ranks &&
			slices.Equal(j.Addresses, root.Addresses), "process %d", i)
	}
}

// requireNoJob checks that no started process has a job.
func (w *world) requireNoJob(t *testing.T) {
	t.Helper()
	for i, err := range w.errs {
		if !w.absent[i] {
			require.Error(t, err, "process %d", i)
			require.Nil(t, w.jobs[i], "process %d has the job's secret", i)
		}
	}
}

// memoryStore is a store whose entries can be looked up as soon as they are published.
type memoryStore struct {
	mu      sync.Mutex
	entries map[int]string
}

func newMemoryStore() *memoryStore { return &memoryStore{entries: make(map[int]string)} }

func (m *memoryStore) Publish(_ context.Context, process int, entry string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.entries[process] = entry
	return nil
}

func (m *memoryStore) Lookup(_ context.Context, process int) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e, ok := m.entries[process]; ok {
		return e, nil
	}
	return "", errors.New("there is no entry yet")
}

// network is a network in memory. Addresses are host:port.
type network struct {
	mu        sync.Mutex
	listening map[string]*listener
	unknown   bool // no host's name can be resolved
}

type listener struct {
	address net.Addr
	conns   chan net.Conn
	closed  chan struct{}
	close   sync.Once
	counted counted
	cuts    atomic.Int64 // connections that end with the first answer
}

// counted counts the traffic of a listener, and the dials of its process.
type counted struct{ conns, writes, bytes atomic.Int64 }

func (n *network) listen(at string) *listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	address := &net.UnixAddr{Name: at, Net: "memory"}
	l := &listener{address: address, conns: make(chan net.Conn), closed: make(chan struct{})}
	n.listening[at] = l
	return l
}

// dial is for the process that listens at from.
func (n *network) dial(from *listener) func(context.Context, string) (net.Conn, error) {
	return func(ctx context.Context, to string) (net.Conn, error) {
		n.mu.Lock()
		l, unknown := n.listening[to], n.unknown
		n.mu.Unlock()
		if unknown {
			return nil, &net.DNSError{Err: "no such host", Name: to, IsNotFound: true}
		}
		if l == nil {
			return nil, fmt.Errorf("dial %s: %w", to, syscall.ECONNREFUSED)
		}
		a, b := net.Pipe()
		select {
		case l.conns <- &counting{b, &l.counted, l.cuts.Add(-1) >= 0}:
			l.counted.conns.Add(1)
			from.counted.conns.Add(1)
			return &counting{a, &from.counted, false}, nil
		case <-l.closed:
			return nil, fmt.Errorf("dial %s: %w", to, syscall.ECONNREFUSED)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Addr() net.Addr { return l.address }

func (l *listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// counting counts the bytes that an end sends.
type counting struct {
	net.Conn
	counted *counted
	cut     bool
}

func (c *counting) Write(b []byte) (int, error) {
	if c.cut {
		return 0, errors.Join(syscall.ECONNRESET, c.Close())
	}
	n, err := c.Conn.Write(b)
	c.counted.writes.Add(1)
	c.counted.bytes.Add(int64(n))
	return n, err
}
