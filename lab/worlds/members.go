package worlds

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// Limits of the processes that connect, in virtual time. Faults that pass are over within a fraction of them.
const (
	greetingLimit = 5 * time.Second
	startLimit    = time.Minute
	silentMost    = 20 * time.Second
	closeLimit    = 5 * time.Minute
	membersLimit  = 2 * time.Minute  // until a process ends in any case
	tellLimit     = 10 * time.Second // until all are told of a death
)

// access is the key to the part of transports for packages of this module.
var access frame.Access

// bubble runs f, and all goroutines that it starts, in virtual time, which passes while all of them wait. It returns an
// error on a deadlock.
func bubble(f func()) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("worlds: processes that connect: %v", value)
		}
	}()
	synctest.Test(new(testing.T), func(*testing.T) { f() })
	return nil
}

// connect runs a world with processes that connect.
func (w World) connect() (o Outcome, err error) {
	var wrong error
	err = bubble(func() {
		m := newMembers(w)
		m.run()
		o, wrong = m.outcome(), m.judge()
	})
	return o, cmp.Or(wrong, err)
}

// members holds the processes of a world of connections.
type members struct {
	*network
	all     []*member
	posters []*poster // by rank
	began   time.Time
}

// member is one process.
type member struct {
	*members
	place netio.Place
	left  *left

	quit           chan struct{} // closed at the first report of a loss; the process then ends the job
	failed, closed error         // of the start, and of the end
	started        time.Time

	mu     sync.Mutex // guards the two below
	told   []error
	toldAt time.Time // time of the first
}

func newMembers(w World) *members {
	m := &members{network: newNetwork(w)}
	shared := newLeft(w.Processes)
	for process := range w.Processes {
		p := &member{members: m, place: netio.PlaceOf(w.Ranks, w.Processes, process), left: shared,
			quit: make(chan struct{})}
		if w.Abort == 0 {
			p.left = newLeft(1)
		}
		m.all = append(m.all, p)
		for rank := p.place.First; rank < p.place.Last; rank++ {
			m.posters = append(m.posters, newPoster(p, rank))
		}
	}
	for _, r := range m.posters {
		r.plan()
	}
	for _, p := range m.all {
		p.left.add(-1)
	}
	return m
}

// run runs all processes until they have ended.
func (m *members) run() {
	m.began = time.Now()
	if m.Death > 0 {
		defer time.AfterFunc(time.Duration(m.When), m.kill).Stop()
	}
	var running sync.WaitGroup
	for _, p := range m.all {
		running.Go(p.run)
	}
	running.Wait()
}

func (p *member) run() {
	d := drawn{rand.New(rand.NewPCG(p.Seed, 1<<60|uint64(p.place.Process)))}
	time.Sleep(time.Duration(d.IntN(p.Apart+1)) * time.Millisecond)
	tr, err := tcp.Dial(context.Background(), p.config())
	if err != nil {
		p.failed = err
		return
	}
	p.started = time.Now()
	tr.Start(func(err error) { p.hears(tr, err) })
	ranks := p.posters[p.place.First:p.place.Last]
	var running sync.WaitGroup
	for _, r := range ranks {
		r.port = tr.Port(r.number)
		running.Go(r.run)
	}
	limit := time.NewTimer(membersLimit)
	defer limit.Stop()
	select {
	case <-p.left.none:
	case <-p.quit:
	case <-limit.C:
	}
	for _, r := range ranks {
		r.end()
	}
	running.Wait()
	p.closed = tr.Close()
	for _, r := range ranks {
		r.home()
	}
}

// config returns the configuration of the process's transport.
func (p *member) config() tcp.Config {
	addresses := make([]string, p.Processes)
	for process, door := range p.doors {
		addresses[process] = door.Addr().String()
	}
	c := tcp.Config{
		Job: "a world in which processes connect", Secret: make([]byte, 32), Place: p.place,
		Listener: p.doors[p.place.Process], Addresses: addresses, Connect: tcp.ConnectAll,
		Identity:       handshake.Identity{Protocol: handshake.Protocol, Build: "the same for all"},
		HandshakeLimit: greetingLimit, StartLimit: startLimit, SilenceMax: silentMost, CloseLimit: closeLimit,
	}
	if p.Need == 1 {
		c.Connect = tcp.ConnectNeed
	}
	c.Inside(access).Over(p.dialler(p.place.Process))
	return c
}

// hears takes the transport's report of a lost process, or of the end of the job.
func (p *member) hears(tr *tcp.Transport, err error) {
	p.mu.Lock()
	p.told = append(p.told, err)
	first := len(p.told) == 1
	if first {
		p.toldAt = time.Now()
	}
	p.mu.Unlock()
	if first && p.Abort == 1 {
		tr.Abort(err.Error())
		close(p.quit)
	}
}
