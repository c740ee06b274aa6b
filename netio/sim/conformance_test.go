package sim

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
)

// TestKeepsThePromisesOfTransports runs the suite of all transports. Its tests use ports from their own goroutines,
// even several ranks' ports from one. Ranks of a simulation are coroutines, and only one of them runs. So each rank is
// a servant here: it does the calls of its driven port one at a time, or a whole rank's part of a test.
func TestKeepsThePromisesOfTransports(t *testing.T) {
	netiotest.Run(t, drivenBy(Faults{}), netiotest.Except{
		"AbortIsTold":              "unread frames stay until their ranks end, as they do once the job has failed",
		"CloseInOrder":             "a frame that an ended process holds comes back when it is released: no copy exists",
		"OneSidedAllocatesNothing": "each operation is two events of the world's agenda, and these are made of memory",
		"CreditsBoundWhatIsHeld":   "while a goroutine outside the world delays, its ranks' time passes the test's patience",
	})
}

// drivenBy makes simulated processes whose ranks are servants.
func drivenBy(faults Faults) netiotest.Maker {
	return func(t *testing.T, ranks, processes int) (all []netio.Transport) {
		w, err := New(Config{Ranks: ranks, Processes: processes, Network: slowLooks(), Faults: faults})
		require.NoError(t, err)
		for _, p := range w.processes {
			d := newDriven(p)
			t.Cleanup(func() { _ = d.Close() }) // also after a skipped test
			all = append(all, d)
		}
		return all
	}
}

// slowLooks is a network whose idle servants let time pass quickly: some milliseconds take hundreds of turns.
func slowLooks() Network {
	n := Machines["flat"]
	n.Costs.Look = 20e-6
	return n
}

// driven is a process whose ranks do the calls of their ports.
type driven struct {
	*Process
	ports  []*drivenPort
	over   chan struct{} // closed after Run has returned
	killed bool
}

func newDriven(p *Process) *driven {
	d := &driven{Process: p, over: make(chan struct{})}
	for id := p.place.First; id < p.place.Last; id++ {
		d.ports = append(d.ports, &drivenPort{
			rank: p.Port(id).(*rank), calls: make(chan call),
			results: make(chan result, 1), stop: make(chan struct{}), gone: make(chan struct{}),
		})
	}
	return d
}

// Start starts the servants.
func (d *driven) Start(failed func(error)) {
	w := d.world
	d.Process.Start(func(err error) {
		w.mu.Lock()
		killed := d.killed
		w.mu.Unlock()
		var hang *HangError
		if killed || errors.As(err, &hang) {
			return // failures no longer concern a dead process, and goroutines outside the world continue with it
		}
		failed(err)
	})
	var servants []func()
	for _, p := range d.ports {
		servants = append(servants, p.serve)
	}
	go func() {
		d.Run(servants, nil, netio.Grace{})
		close(d.over)
	}()
}

func (d *driven) Port(rank int) netio.Port { return d.ports[rank-d.place.First] }

// Kill implements [netiotest.Killer].
func (d *driven) Kill() {
	d.world.mu.Lock()
	d.killed = true
	dead := make(chan struct{})
	d.world.plan(d.world.time(), func() { d.world.faults.kill(d.Process); close(dead) })
	d.world.mu.Unlock()
	<-dead
	for _, p := range d.ports {
		p.leave()
		p.once.Do(func() { close(p.gone) })
	}
}

// Close lets the servants return. It releases their undelivered frames.
func (d *driven) Close() error {
	for _, p := range d.ports {
		p.leave()
	}
	<-d.over
	for _, p := range d.ports {
		select {
		case r := <-p.results:
			if r.frame != nil {
				r.frame.Release()
			}
		default:
		}
	}
	return d.Process.Close()
}

// drivenPort passes calls to its rank while the rank exists.
type drivenPort struct {
	*rank
	calls   chan call
	results chan result
	stop    chan struct{} // closed to stop the servant
	gone    chan struct{} // closed when it has stopped or is dead
	once    sync.Once     // closes gone
	leaving sync.Once     // closes stop
}

// call is a call of a port.
type call struct {
	what  func(*rank, call) result
	part  func(netio.Port)
	frame *netio.Frame
	time  time.Duration
}

type result struct{ frame *netio.Frame }

func (p *drivenPort) leave() { p.leaving.Do(func() { close(p.stop) }) }

// serve runs as the rank's function. A rank without calls lets time pass.
func (p *drivenPort) serve() {
	defer p.once.Do(func() { close(p.gone) })
	for {
		select {
		case c := <-p.calls:
			p.results <- c.what(p.rank, c)
		case <-p.stop:
			return
		default:
			p.rank.Pause()
			runtime.Gosched() // the caller is outside the world
		}
	}
}

// ask passes a call to the servant. Without a servant it does the call on the caller's goroutine, like other ports.
func (p *drivenPort) ask(c call) *netio.Frame {
	select {
	case p.calls <- c:
	case <-p.gone:
		return c.what(p.rank, c).frame
	}
	select {
	case r := <-p.results:
		return r.frame
	case <-p.gone:
		return nil
	}
}

var (
	doSend = func(r *rank, c call) result { r.Send(c.frame); return result{} }
	doRecv = func(r *rank, _ call) result { return result{r.Recv()} }
	doWait = func(r *rank, c call) result {
		if r.ended {
			time.Sleep(time.Millisecond) // nothing resumes it any more
		} else {
			r.Wait(c.time)
		}
		return result{}
	}
	doPart  = func(r *rank, c call) result { c.part(r); return result{} }
	doPause = func(r *rank, _ call) result { r.Pause(); return result{} }
)

func (p *drivenPort) Send(f *netio.Frame)  { p.ask(call{what: doSend, frame: f}) }
func (p *drivenPort) Recv() *netio.Frame   { return p.ask(call{what: doRecv}) }
func (p *drivenPort) Wait(d time.Duration) { p.ask(call{what: doWait, time: d}) }
func (p *drivenPort) Pause()               { p.ask(call{what: doPause}) }

// Do implements [netiotest.Doer].
func (p *drivenPort) Do(part func(netio.Port)) { p.ask(call{what: doPart, part: part}) }
