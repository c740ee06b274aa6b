package netiotest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
	"github.com/activepebbles/pebbles/netio"
)

// patience is the suite's time limit. It is no part of any promise.
const patience = 60 * time.Second

// world is one job under test.
type world struct {
	t          *testing.T
	seed       uint64
	transports []netio.Transport // by process
	failures   []chan error      // failures reported by the transport, by process
	ports      []netio.Port      // by rank
	process    []int             // by rank
	closed     bool
}

func newWorld(t *testing.T, transports []netio.Transport) *world {
	w := &world{t: t, transports: transports, seed: seeds.Of(t)}
	for i, tr := range transports {
		failures := make(chan error, 2*len(transports))
		w.failures = append(w.failures, failures)
		tr.Start(func(err error) { failures <- err })
		for rank := tr.Place().First; rank < tr.Place().Last; rank++ {
			w.ports = append(w.ports, tr.Port(rank))
			w.process = append(w.process, i)
		}
	}
	return w
}

// each runs f for every rank, on its own goroutine, or where its port is a [Doer], there. must may end f.
func (w *world) each(f func(rank int, p netio.Port) error) {
	w.t.Helper()
	errs := make([]error, len(w.ports))
	var running sync.WaitGroup
	for rank, p := range w.ports {
		running.Go(func() {
			if d, ok := p.(Doer); ok {
				d.Do(func(p netio.Port) { errs[rank] = part(f, rank, p) })
				return
			}
			errs[rank] = part(f, rank, p)
		})
	}
	running.Wait()
	require.NoError(w.t, errors.Join(errs...))
}

// failure is what must panics with.
type failure struct{ error }

// must ends a rank's part of a test if err is not nil.
func must(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// part calls f, and returns its error, or that of must.
func part(f func(rank int, p netio.Port) error, rank int, p netio.Port) (err error) {
	defer ended(&err)
	return f(rank, p)
}

// ended sets the error of a part that must has ended.
func ended(err *error) {
	switch cause := recover().(type) {
	case nil:
	case failure:
		*err = cause.error
	default:
		panic(cause)
	}
}

// close closes all transports at the same time, like a job, unless a test has done so.
func (w *world) close() {
	w.t.Helper()
	for _, err := range w.closeAll() {
		require.NoError(w.t, err)
	}
	for _, failures := range w.failures {
		require.Empty(w.t, failures)
	}
}

func (w *world) closeAll() []error {
	if w.closed {
		return nil
	}
	w.closed = true
	return closeEach(w.transports)
}

// checkReceived requires that transports got back all frames that they lent to ranks.
func (w *world) checkReceived() {
	w.t.Helper()
	for _, err := range w.closeAll() {
		require.NoError(w.t, err)
	}
	for _, tr := range w.transports {
		if l, ok := tr.(Lender); ok {
			require.Zero(w.t, l.Received(), "bytes of received frames that were not released")
		}
	}
}

// await waits at a port until done returns true or an error.
func await(p netio.Port, what string, done func() (bool, error)) error {
	end := p.Now() + patience
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if p.Now() > end {
			return fmt.Errorf("%s: nothing within %v", what, patience)
		}
		p.Wait(patience)
	}
}

// recv waits for a frame.
func recv(p netio.Port) (f *netio.Frame, err error) {
	err = await(p, "receive a frame", func() (bool, error) {
		f = p.Recv()
		return f != nil, nil
	})
	return f, err
}

// allBack waits until all frames of the port's pool have been released.
func allBack(p netio.Port) error {
	return await(p, "get all frames back", func() (bool, error) { return p.Pool().Lent() == 0, nil })
}

// failure waits for a failure reported to a process.
func (w *world) failure(process int) error {
	select {
	case err := <-w.failures[process]:
		return err
	case <-time.After(patience):
		return fmt.Errorf("process %d was told nothing within %v", process, patience)
	}
}
