package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/netio"
)

// world is a job whose ranks run when a scenario says so, one at a time, on coroutines. It is also the job's transport,
// and carries frames as the scenario says. Ranks of other processes do not exist: the scenario sends for them.
type world struct {
	log      *scenario.Log
	place    netio.Place
	now      time.Duration
	from     uint64 // first number of counts
	messages bool   // messages of collectives are logged
	ranks    []*member
	held     map[link]*netio.Frames // frames on links that are held, and on those to other processes
	failed   func(error)            // reports the loss of a process
	cancel   context.CancelCauseFunc
	job      *job
	resume   func() (struct{}, bool) // resumes Run
	rest     func(struct{}) bool     // gives control back to the scenario, from Run
	err      error                   // of Run
	closing  error                   // of closing the transport
	over     bool                    // Run has returned
}

type link struct{ from, to int }

// member is a rank of this process.
type member struct {
	*world
	id      int
	rank    *Rank
	port    scenario.Port
	resume  func() (struct{}, bool)       // resumes the rank
	rest    func(struct{}) bool           // gives control back to the scenario
	at      string                        // where it rests: program, pause or park; "" after its return
	until   time.Duration                 // its wake-up time when parked; -1 for none
	woken   atomic.Bool                   // another goroutine may wake it: that of a context that ends
	next    func() (done bool, err error) // the next action of its program; done is for the running function
	inboxes map[string]*inbox
	open    int // operations on exposed memory
	fault   error
	spawned []func()      // tasks
	linger  time.Duration // time that buffers wait for tasks
	answers bool          // the program's awaited event has come
}

var (
	_ netio.Transport = (*world)(nil)
	_ netio.Runner    = (*world)(nil)
	_ netio.Counting  = (*world)(nil)
)

// begin begins a job.
func (w *world) begin(c Config) {
	w.held = map[link]*netio.Frames{}
	for id := w.place.First; id < w.place.Last; id++ {
		m := &member{world: w, id: id, inboxes: map[string]*inbox{}, until: -1}
		m.port = scenario.Port{Clock: &w.now, Sent: w.carry, Rests: m.rests, Woken: m.wake, Exposed: operations{member: m}}
		m.port.Lends = netio.NewPool(keeper{of: m})
		w.ranks = append(w.ranks, m)
	}
	c.Transport, c.Log = w, slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithCancelCause(context.Background())
	w.cancel = cancel
	w.resume, _ = iter.Pull(func(rest func(struct{}) bool) {
		w.rest = rest
		w.err = Run(ctx, c, func(r *Rank) error {
			m := w.member(r.ID())
			m.rank, w.job = r, r.Job
			return m.obey()
		})
		w.over = true
	})
	w.resume()
	for _, m := range w.ranks {
		m.step()
	}
}

// end ends a job that the scenario has left: all ranks must come back.
func (w *world) end(t *testing.T) {
	if w.ranks == nil || w.over {
		return
	}
	w.log = &scenario.Log{}
	w.job.fail(errors.New("the scenario ends"))
	for calls := 0; !w.over && calls < 10; calls++ { // a program may be in an epoch's body
		for _, m := range w.ranks {
			if m.at == "program" {
				m.next = func() (bool, error) { return true, nil }
				m.step()
			}
		}
		w.run()
	}
	require.True(t, w.over, "ranks have not come back")
}

func (w *world) member(id int) *member { return w.ranks[id-w.place.First] }

// Name implements [netio.Transport], like the methods below.
func (w *world) Name() string             { return "script" }
func (w *world) Place() netio.Place       { return w.place }
func (w *world) Start(failed func(error)) { w.failed = failed }
func (w *world) Port(rank int) netio.Port { return &w.member(rank).port }
func (w *world) Abort(reason string)      { w.log.Say("the job fails: %s", reason) }
func (w *world) Close() error             { return w.closing }
func (w *world) CountFrom() uint64        { return w.from }
func (w *world) Looks() int               { return 1 }
func (w *world) Memory() int64            { return 1 << 20 }
func (m *member) wake()                   { m.woken.Store(true) }
func (m *member) say(text string, of ...any) {
	m.log.Say("rank %d "+text, append([]any{m.id}, of...)...)
}

// Run implements [netio.Runner]: it gives the ranks to the scenario.
func (w *world) Run(ranks []func(), _ <-chan struct{}, _ netio.Grace) bool {
	for i, m := range w.ranks {
		m.resume, _ = iter.Pull(func(rest func(struct{}) bool) {
			m.rest = rest
			ranks[i]()
			m.at = ""
		})
		m.at = "program"
	}
	w.rest(struct{}{})
	for _, m := range w.ranks {
		if m.at != "" {
			return false
		}
	}
	return true
}

// rests returns control from a call of a rank to the scenario.
func (m *member) rests(parks bool, most time.Duration) {
	m.at, m.until = "pause", -1
	if parks {
		m.at = "park"
	}
	if most >= 0 {
		m.until = m.now + most
	}
	m.rest(struct{}{})
}

// obey is a function of the rank's program: it performs the scenario's actions, until one is the last.
func (m *member) obey() error {
	for {
		m.at = "program"
		m.rest(struct{}{})
		if do := m.next; do != nil {
			m.next = nil
			if done, err := do(); done {
				return err
			}
		}
	}
}

// do makes the rank's program perform an action, until the rank rests.
func (m *member) do(c *scenario.Command, f func() (done bool, err error)) {
	if m.at != "program" {
		c.Refuse("rank %d is in a call", m.id)
	}
	m.next = f
	m.step()
}

// does is do for an action after which the program goes on.
func (m *member) does(c *scenario.Command, f func()) {
	m.do(c, func() (bool, error) { f(); return false, nil })
}

// step resumes the rank until it rests.
func (m *member) step() {
	m.woken.Store(false)
	m.resume()
}

// can reports whether the rank would do anything if resumed.
func (m *member) can() bool {
	switch m.at {
	case "pause":
		return true
	case "park":
		return m.woken.Load() || m.port.Arrived.First() != nil || m.until >= 0 && m.now >= m.until
	}
	return false
}

// run resumes all ranks, one after the other, until none has anything to do. When all have returned, so does Run.
func (w *world) run() {
	for range 10_000 {
		did, left := false, false
		for _, m := range w.ranks {
			if m.can() {
				m.step()
				did = true
			}
			left = left || m.at != ""
		}
		if !left && !w.over {
			w.leave()
		}
		if !did || w.over {
			return
		}
	}
	w.log.Say("ranks go on for ever")
}

// leave lets Run return.
func (w *world) leave() {
	w.resume()
	if stuck := (*StuckError)(nil); errors.As(w.err, &stuck) {
		first, _, _ := strings.Cut(stuck.Error(), "\ngoroutine")
		w.log.Say("%s", first)
	}
	w.log.Say("the job ends%s", w.failure(w.err))
}

// failure returns the text of an error, shortened if it is the job's, which all ranks get.
func (w *world) failure(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, w.job.error()):
		return " with the job's error"
	}
	return ": " + err.Error()
}

// carry delivers a frame to its rank, or keeps it on its link.
func (w *world) carry(f *netio.Frame) {
	on := link{int(f.From), int(f.To)}
	w.tell(f)
	if all := w.held[on]; all != nil {
		all.Push(f)
		return
	}
	if !w.place.Has(on.to) {
		w.held[on] = &netio.Frames{}
		w.held[on].Push(f)
		return
	}
	w.member(on.to).port.Arrived.Push(f)
}

// tell logs a frame that is sent.
func (w *world) tell(f *netio.Frame) {
	switch {
	case f.Kind == netio.Data:
		more := ""
		if f.Flags > 1 {
			more = fmt.Sprintf(" of depth %d", f.Flags)
		}
		if f.Tag > 0 {
			more += fmt.Sprintf(", phase %d", f.Tag)
		}
		w.log.Say("frame %d->%d: %s%s", f.From, f.To, scenario.Count(f.Count, "pebble"), more)
	case w.messages:
		w.log.Say("message %d->%d: %s", f.From, f.To, purposeNames[purpose(f.Check&(1<<purposeBits-1))])
	}
}

// keeper wakes a parked rank when a frame has come back.
type keeper struct {
	netio.Heap
	of *member
}

func (k keeper) Release(p *netio.Pool, f *netio.Frame) {
	k.of.woken.Store(true)
	p.TakeBack(f)
}

// operations is access to memory; the scenario sets the number of open operations.
type operations struct {
	netio.OneSided
	*member
}

func (x operations) Open() int { return x.open }

// optionsOf returns the options of a scenario's job.
func optionsOf(c *scenario.Command) coalesce.Options {
	o := options(c.Int("credits", 100))
	o.Due, o.BufferBudget, o.MemoryLimit = c.Time("due"), int64(c.Int("budget", 1<<20)), int64(c.Int("memory", 1<<20))
	return o
}

func options(credits int) coalesce.Options {
	return coalesce.Options{Credits: func(int) int { return credits }, BufferBudget: 1 << 20, MemoryLimit: 1 << 20}
}
