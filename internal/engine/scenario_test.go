package engine

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
	"github.com/activepebbles/pebbles/tune"
)

// The files of testdata show how the ranks of a job work together. The engine is real; the file is the program of each
// rank, and the network. Run with -rewrite to rewrite them.
func TestScenarios(t *testing.T) {
	scenario.Run(t, func(t *testing.T, l *scenario.Log) scenario.Verbs {
		s := &script{t: t, world: &world{log: l}}
		t.Cleanup(func() { s.end(t) })
		verbs := scenario.Verbs{
			"run": func(*scenario.Command) {}, "target": s.target, "free": s.free,
			"epoch": s.epoch, "end": s.finish, "return": s.finish,
			"send": s.send, "poll": s.poll, "flush": s.flush, "panic": s.panic, "hold": s.hold, "deliver": s.deliver,
			"arrive": s.arrive, "mark": s.mark, "told": s.told, "collective": s.collective, "await": s.await,
			"answer": s.answer, "post": s.post, "operation": s.operation, "tasks": s.tasks,
			"spawn": s.spawn, "time": s.time, "lose": s.lose, "cancel": s.giveUp, "leave": s.desert,
			"state": s.state, "counters": s.counters, "explain": s.explain, "guard": s.guard,
		}
		for name, verb := range verbs {
			verbs[name] = func(c *scenario.Command) {
				if s.ranks == nil {
					c.Refuse("there is no job")
				}
				verb(c)
				s.run()
			}
		}
		verbs["job"] = s.start
		return verbs
	})
}

// script is the state of a scenario's verbs.
type script struct {
	t *testing.T
	*world
}

func (s *script) start(c *scenario.Command) {
	l := s.log
	s.end(s.t)
	ranks := c.Int("ranks", 2)
	s.world = &world{log: l, place: netio.PlaceOf(ranks, c.Int("processes", 1), 0), messages: c.Has("messages"),
		from: uint64(c.Int("from", 0))}
	maker, err := termination.ByName(c.Text("detector", "skr"))
	if err != nil {
		c.Refuse("%v", err)
	}
	topology, err := route.ByName(c.Text("topology", "direct"))
	if err != nil {
		c.Refuse("%v", err)
	}
	config := Config{Options: optionsOf(c), Termination: maker, Topology: topology, Coalesce: c.Int("coalesce", 2),
		Period: c.Time("period"), Labels: c.Has("labels")}
	if name := c.Text("tune", ""); name != "" {
		set := tune.Setting{Topology: name, Coalesce: c.Int("factor", 2)}
		config.Tuning = &Tuning{May: Tunes{Topology: true, Coalesce: true}, Tuner: &tune.Schedule{
			New: func(tune.Site) (tune.Chooser, error) { return chooser{s.world, set}, nil }}}
	}
	if config.Lone = c.Has("lone"); config.Lone {
		s.place.Last = 1
	}
	if c.Has("explained") {
		config.Explain = func(r *Rank, depth int) error {
			s.log.Say("an epoch of depth %d is explained: %v", depth, slices.Collect(r.Targets.Descriptions()))
			return nil
		}
	}
	if c.Has("watched") {
		config.Watcher = watcher{s.world}
	}
	s.begin(config)
}

// chooser always chooses one setting.
type chooser struct {
	*world
	set tune.Setting
}

func (t chooser) Next() tune.Setting { return t.set }
func (t chooser) Observe(w tune.Window) {
	t.log.Say("the tuner sees %g pebbles in %gs", w.Work, w.Seconds)
}

// watcher logs its calls.
type watcher struct{ *world }

func (w watcher) Begin(s *Observer) { w.log.Say("the watcher begins, over %s", s.Transport().Name()) }
func (w watcher) End()              { w.log.Say("the watcher ends") }
func (w watcher) Failing(cause error) error {
	w.log.Say("the watcher hears of the failure")
	return fmt.Errorf("%w, as the watcher saw", cause)
}

// each returns the ranks that a command names, or all.
func (s *script) each(c *scenario.Command) (all []*member) {
	if !c.More() {
		return s.ranks
	}
	for c.More() {
		all = append(all, s.one(c))
	}
	return all
}

// one returns the rank that a command names.
func (s *script) one(c *scenario.Command) *member {
	id := c.Number("rank")
	if !s.place.Has(id) {
		c.Refuse("rank %d is not here", id)
	}
	return s.member(id)
}

func (s *script) target(c *scenario.Command) {
	name, factor := c.Text("name", "a"), c.Int("coalesce", 2)
	made, err := route.ByName(c.Text("topology", "direct"))
	if err != nil {
		c.Refuse("%v", err)
	}
	d := Description{ExtraDepth: c.Int("beyond", 0), Moving: c.Has("moving"), Schema: c.Text("schema", "")}
	if c.Has("tuned") {
		d.Tunes = Tunes{Topology: true, Coalesce: true}
	}
	d.Cache = int64(c.Int("cache", 0))
	for _, m := range s.each(c) {
		m.does(c, func() {
			t := made(m.rank.Size())
			if w, ok := t.(route.Watching); ok {
				t = w.Watch(m.rank.Marks.Links())
			}
			m.register(name, t, factor, d)
			m.inboxes[name].Reserve(d.Cache)
		})
	}
}

// free makes ranks free a target. They log the numbers of the remaining targets.
func (s *script) free(c *scenario.Command) {
	name := c.Text("name", "a")
	for _, m := range s.each(c) {
		m.does(c, func() {
			if m.inboxes[name].Free() {
				m.say("has %d bytes of caches, and targets%s", m.rank.Sender.Reserved, m.numbers())
			}
		})
	}
}

// numbers returns the names of targets with their numbers.
func (m *member) numbers() (text string) {
	for _, t := range m.rank.Targets.all {
		text += fmt.Sprintf(" %s=%d", t.Name, t.Index)
	}
	return text
}

// epoch makes ranks call Epoch. Each runs its body until the scenario ends it.
func (s *script) epoch(c *scenario.Command) {
	plan := Plan{Name: c.Text("name", "")}
	if plan.Depth = c.Int("depth", 0); plan.Depth != 0 {
		plan.Declared = true
	}
	if name := c.Text("detector", ""); name != "" {
		plan.Detector, _ = termination.ByName(name)
	}
	idle, nothing := c.Int("idle", 0), c.Has("without-function")
	for _, m := range s.each(c) {
		plan, left := plan, idle
		if idle > 0 {
			plan.Idle = func() bool {
				if left--; left >= 0 {
					m.say("does idle work")
				}
				return left >= 0
			}
		}
		body := m.obey
		if nothing {
			body = nil
		}
		m.does(c, func() {
			if err := m.rank.Epoch(body, plan); err != nil {
				m.say("leaves the epoch%s", s.failure(err))
				return
			}
			m.say("ends epoch %d, by %s", m.rank.Sender.Count.Epochs, m.rank.Detection.Termination())
		})
	}
}

func (s *script) send(c *scenario.Command) {
	m := s.one(c)
	p := pebble{uint16(c.Int("to", 0)), uint16(c.Int("chain", 0)), uint32(c.Int("number", 1))}
	n, name := c.Int("pebbles", 1), c.Text("target", "a")
	if c.Has("bad") {
		p.chain = 1<<16 - 1
	}
	try, ahead := c.Has("try"), c.Has("ahead")
	m.does(c, func() {
		b := m.inboxes[name]
		if try && !b.FindRoom() {
			m.say("finds no room")
			return
		}
		if ahead { // before a send that must not wait
			b.Begin()
			b.AwaitCredits()
			b.End()
		}
		b.send(p, n)
	})
}

// guard makes a hook check before epochs, and at the end.
func (s *script) guard(c *scenario.Command) {
	m, why := s.one(c), c.Text("error", "")
	m.does(c, func() {
		m.rank.Hooks.OnBoundary(func(call string) error {
			m.say("asks whether %s may begin", call)
			if why != "" {
				return errors.New(why)
			}
			return nil
		})
	})
}

func (s *script) poll(c *scenario.Command) {
	for _, m := range s.each(c) {
		m.does(c, func() { m.rank.Loop.Poll() })
	}
}

func (s *script) flush(c *scenario.Command) {
	m, name := s.one(c), c.Text("target", "a")
	m.does(c, func() { m.inboxes[name].Target.Flush() })
}

// finish makes the running function return: an epoch's body, or the rank's function.
func (s *script) finish(c *scenario.Command) {
	var err error
	if text := c.Text("error", ""); text != "" {
		err = errors.New(text)
	}
	for _, m := range s.each(c) {
		if m.rank.InEpoch() == (c.Name == "return") {
			c.Refuse("rank %d runs another function: end is for bodies of epochs, return for functions of ranks", m.id)
		}
		m.do(c, func() (bool, error) { return true, err })
	}
}

func (s *script) panic(c *scenario.Command) {
	m := s.one(c)
	m.does(c, func() { panic("a mistake") })
}

// hold makes links keep the frames sent on them, until these are delivered.
func (s *script) hold(c *scenario.Command) {
	for c.More() {
		from, to := c.Pair("link", "->")
		s.held[link{from, to}] = &netio.Frames{}
	}
}

// deliver delivers the last frame that links keep, or all, and those sent from then on.
func (s *script) deliver(c *scenario.Command) {
	last := c.Has("last")
	for c.More() {
		from, to := c.Pair("link", "->")
		all := s.held[link{from, to}]
		if all == nil {
			c.Refuse("the link keeps nothing")
		}
		for n := all.Len(); n > 0; n-- {
			if f := all.Shift(); last && n > 1 {
				all.Push(f)
			} else {
				s.member(to).port.Arrived.Push(f)
			}
		}
		if !last {
			delete(s.held, link{from, to})
		}
	}
}

// arrive makes a frame of the scenario arrive.
func (s *script) arrive(c *scenario.Command) {
	from, to := c.Pair("link", "->")
	b := s.member(to).inboxes["a"]
	p := pebble{uint16(c.Int("to", to)), uint16(c.Int("chain", 0)), uint32(c.Int("number", 1))}
	n := c.Int("pebbles", 1)
	f := netio.NewPool(nil).Get(8 * n)
	vs := netio.Values[pebble](f, n)
	for i := range vs {
		vs[i] = p
		p.number++
	}
	f.Kind, f.From, f.To, f.Count, f.Bytes = netio.Kind(c.Int("kind", 1)), uint32(from), uint32(to), uint32(n),
		uint32(8*n+c.Int("more", 0))
	f.Epoch, f.Target, f.Flags = uint32(c.Int("epoch", 1)), uint16(c.Int("target", 0)), uint8(c.Int("depth", 0))
	f.Tag, f.Seq = uint32(c.Int("tag", 0)), uint64(c.Int("sequence", 0))
	if f.Check = uint32(c.Int("check", 0)); f.Check == 0 && b != nil {
		f.Check = b.Fingerprint
	}
	s.member(to).port.Arrived.Push(f)
}

func (s *script) mark(c *scenario.Command) {
	m := s.one(c)
	what := c.Word("link or rank")
	down := c.Word("mark") == "down"
	a, b, linked := strings.Cut(what, "-")
	m.does(c, func() {
		if linked {
			m.rank.Marks.MarkLink(int(a[0]-'0'), int(b[0]-'0'), down)
			return
		}
		m.rank.Marks.MarkRank(int(a[0]-'0'), down)
	})
}

// told makes a mark of a rank of another process arrive.
func (s *script) told(c *scenario.Command) {
	from, to := c.Pair("link", "->")
	a, b := c.Pair("mark", "-")
	value, err := route.Mark{From: a, To: b, By: from, Count: 1, Down: true}.AppendBinary(nil)
	if err != nil {
		c.Refuse("%v", err)
	}
	value = value[:len(value)-c.Int("short", 0)]
	f := netio.NewPool(nil).Get(len(value))
	copy(f.Space(), value)
	f.Kind, f.From, f.To, f.Check, f.Bytes = netio.Control, uint32(from), uint32(to), uint32(marking), uint32(len(value))
	s.member(to).port.Arrived.Push(f)
}

func (s *script) time(c *scenario.Command) { s.now = c.Time("at") }

// lose makes the transport report the loss of a process.
func (s *script) lose(*scenario.Command) {
	s.failed(&netio.AbortError{Process: 1, Reason: "its disk is full"})
}

// giveUp ends the context of Run.
func (s *script) giveUp(*scenario.Command) {
	s.cancel(errors.New("interrupted"))
	for _, m := range s.ranks {
		for !m.woken.Load() { // by the goroutine that fails the job
			runtime.Gosched()
		}
	}
}

// desert lets Run return although ranks have not come back, as some time after a failure.
func (s *script) desert(*scenario.Command) {
	s.leave()
	for _, m := range s.ranks {
		if m.at == "program" {
			m.next = func() (bool, error) { return true, nil }
			m.step()
		}
	}
}

// state logs the activity of ranks, and the frames that wait there.
func (s *script) state(c *scenario.Command) {
	asked := c.Has("asked")
	sight := &Observer{s.job}
	if asked {
		sight.Ask()
		s.run()
	}
	for _, m := range s.each(c) {
		told, r := sight.Rank(m.id), m.rank
		text := string(told.Doing)
		if told.Wait != "" {
			text = "waiting for " + told.Wait
		}
		if told.For >= 0 {
			text += fmt.Sprintf(", to rank %d", told.For)
		}
		m.say("is %s%s%s%s", text, some(r.Sender.Backlog, "in its backlog"), some(r.Loop.arrivals.stalled.Len(), "stalled"),
			some(r.Loop.arrivals.futureEpoch.Len()+r.Loop.arrivals.deferred.Len(), "of a later epoch"))
		for _, l := range told.Links {
			m.say("has for rank %d: %d bytes filling, %d frames in flight, %d waiting, for %gs", l.To, l.Filling, l.Flight,
				l.Waiting, l.AgeSeconds)
		}
	}
}

// some describes frames, if any.
func some(frames int, which string) string {
	if frames == 0 {
		return ""
	}
	return fmt.Sprintf(", with %s %s", scenario.Count(frames, "frame"), which)
}

// counters logs the counters that are not zero.
func (s *script) counters(c *scenario.Command) {
	for _, m := range s.each(c) {
		var told []string
		all := reflect.ValueOf(m.rank.Sender.Count)
		for i := range all.NumField() {
			if n := all.Field(i).Uint(); n > 0 {
				told = append(told, fmt.Sprint(all.Type().Field(i).Name, " ", n))
			}
		}
		m.say("counts %s", strings.Join(told, ", "))
	}
}

func (s *script) explain(c *scenario.Command) {
	m := s.one(c)
	m.does(c, func() { m.rank.ExplainNext() })
}
