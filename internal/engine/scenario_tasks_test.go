package engine

import (
	"errors"
	"time"

	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/internal/watch/state"
)

func (s *script) tasks(c *scenario.Command) {
	m := s.one(c)
	m.linger = c.Time("linger")
	if m.rank.Tasks.tasks != nil && !c.Has("again") {
		m.wake()
		return
	}
	left := c.Text("left", "")
	m.does(c, func() { m.rank.Tasks.Set(&crew{m, left}) })
}

// crew holds the tasks of a rank, and those that still wait at the end; "" for none.
type crew struct {
	*member
	left string
}

func (w *crew) Work() (worked, left bool) {
	if len(w.spawned) == 0 {
		return false, false
	}
	do := w.spawned[0]
	w.spawned = w.spawned[1:]
	before := w.rank.Tasks.Begin(GoroutineNumber())
	do()
	w.rank.Tasks.End(before)
	w.rank.Tasks.Pump()
	return true, len(w.spawned) > 0
}

func (w *crew) Await(*Target, int) {}
func (w *crew) Complete() error {
	if w.left != "" {
		return errors.New(w.left)
	}
	return nil
}
func (w *crew) End()                       { w.say("unwinds its tasks") }
func (w *crew) HoldBuffers() time.Duration { return w.linger }
func (w *crew) Waiter() Waiter             { return nil }
func (w *crew) Waiting() []state.Tasks     { return nil }
func (w *crew) Describe() string           { return "" }

// spawn makes the main function of a rank spawn a task that sends, and takes some time.
func (s *script) spawn(c *scenario.Command) {
	m := s.one(c)
	p := pebble{uint16(c.Int("to", 0)), 0, uint32(c.Int("number", 1))}
	n, takes := c.Int("pebbles", 1), c.Time("takes")
	m.does(c, func() {
		m.rank.Tasks.CheckSpawn("Spawn was called")
		m.spawned = append(m.spawned, func() {
			m.say("runs a task")
			m.inboxes["a"].send(p, n)
			s.now += takes
		})
	})
}
