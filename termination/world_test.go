package termination_test

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// world is a job without a runtime: ranks that hold pebbles, frames on their way, and one detector per rank. Its owner
// decides which of the possible events happens next, so that every interleaving is possible. It always has the true
// state of all pebbles, and fails when a detector's verdict is false.
type world struct {
	plan    *plan
	ranks   []*member
	frames  []frame    // on their way
	letters [][]letter // of detectors, by receiver: on their way or not yet taken
	open    []int      // by rank: frames that it has created and that are not processed
	acks    []int      // by rank: its frames that have been processed, without notice to it
	desk    desk       // of the detector that looks
	failure error
}

// plan is the constant part of a world.
type plan struct {
	name       string // of the detector
	make       termination.Maker
	site       termination.Site
	topologies []route.Topology // topologies of pebbles, by via
	bodies     [][][]*pebble    // pebbles that each rank's body sends in each epoch
	start      uint64           // first number of counts
	slowAcks   bool             // a separate event notifies a sender that a frame has been processed
	merging    bool             // buffers merge pebbles for one rank
	phaseless  bool             // a defect: phases are lost
	free       bool             // messages are not compared with formulas
}

// pebble is a pebble of the plan, with those that its handling sends.
type pebble struct {
	id       int
	dest     int
	via      int // index of its topology
	children []*pebble
}

// member is a rank. State that other ranks' events change is not in it, but in the world.
type member struct {
	id       int
	detector termination.Detector
	ledger   *termination.Ledger // nil if the detector needs none
	counts   termination.Counts
	sequence uint64
	epoch    int    // the current or last epoch, from 1
	before   uint64 // rounds of its detector before that
	inside   bool   // it is in it
	work     []*pebble
	queue    []*pebble // sent by handlers to this rank
	buffers  []buffer
	sent     int // messages of the detector in this epoch
	handled  int // pebbles
	created  int // frames
	hash     uint64
}

type buffer struct {
	via, to, stage int
	pebbles        []*pebble
}

type frame struct {
	from, to, epoch int
	phase           uint32
	pebbles         []*pebble
}

type letter struct {
	from    int
	seq     uint64
	tag     uint32
	value   string
	arrived bool
}

func newWorld(p *plan) (*world, error) {
	n := p.site.Ranks
	w := &world{plan: p, letters: make([][]letter, n), open: make([]int, n), acks: make([]int, n)}
	for id := range n {
		site := p.site
		site.Rank = id
		d, err := p.make(site)
		if err != nil {
			return nil, err
		}
		m := &member{id: id, detector: d, sequence: p.start}
		if _, ok := d.(termination.Keeper); ok {
			m.ledger = termination.NewLedger()
		}
		m.counts = termination.Counts{Created: p.start, Processed: p.start}
		for via, t := range p.topologies {
			staged, _ := t.(route.Staged)
			for _, to := range t.Neighbors(id) {
				b := buffer{via: via, to: to}
				if staged != nil {
					b.stage = staged.Stage(id, to)
				}
				m.buffers = append(m.buffers, b)
			}
		}
		w.ranks = append(w.ranks, m)
	}
	return w, nil
}

// receivers returns the ranks that a rank may create frames for.
func (p *plan) receivers(rank int) (all []int) {
	for _, t := range p.topologies {
		for _, to := range t.Neighbors(rank) {
			if !slices.Contains(all, to) {
				all = append(all, to)
			}
		}
	}
	return all
}

// senders returns the ranks that may create frames for a rank.
func (p *plan) senders(rank int) (all []int) {
	for from := range p.site.Ranks {
		if slices.Contains(p.receivers(from), rank) {
			all = append(all, from)
		}
	}
	return all
}

func (w *world) fail(format string, args ...any) {
	if w.failure == nil {
		w.failure = fmt.Errorf(format, args...)
	}
}

// enter begins a rank's next epoch.
func (w *world) enter(rank int) {
	m := w.ranks[rank]
	m.epoch++
	m.inside, m.sent, m.created = true, 0, 0
	m.work = w.plan.bodies[rank][m.epoch-1]
	if m.ledger != nil {
		m.ledger.Clear()
		if w.plan.start != 0 {
			m.ledger.Preset(w.plan.receivers(rank), w.plan.senders(rank), w.plan.start)
		}
	}
	m.before = m.detector.Rounds()
	m.detector.Begin()
}

// send sends one pebble of a rank's body. One for the rank itself is handled at once.
func (w *world) send(rank int) {
	m := w.ranks[rank]
	p := m.work[0]
	m.work = m.work[1:]
	if p.dest == rank {
		w.handler(m, p)
		return
	}
	w.put(m, p)
}

// handler handles a pebble. Pebbles that it sends to its own rank wait in a queue.
func (w *world) handler(m *member, p *pebble) {
	m.handled++
	for _, c := range p.children {
		if c.dest == m.id {
			m.queue = append(m.queue[:len(m.queue):len(m.queue)], c)
		} else {
			w.put(m, c)
		}
	}
}

// put puts a pebble into the buffer of its next hop.
func (w *world) put(m *member, p *pebble) {
	next := w.plan.topologies[p.via].Next(m.id, p.dest)
	for i := range m.buffers {
		if b := &m.buffers[i]; b.to == next && b.via == p.via {
			if w.plan.merging && len(b.pebbles) > 0 && b.pebbles[0].dest == p.dest {
				return
			}
			b.pebbles = append(b.pebbles[:len(b.pebbles):len(b.pebbles)], p)
			return
		}
	}
	w.fail("rank %d has no link to rank %d", m.id, next)
}

// drain handles a pebble that a handler has sent to its own rank.
func (w *world) drain(rank int) {
	m := w.ranks[rank]
	p := m.queue[0]
	m.queue = m.queue[1:]
	w.handler(m, p)
}

// flush sends the pebbles in a buffer as a frame.
func (w *world) flush(rank, i int) {
	m := w.ranks[rank]
	b := &m.buffers[i]
	to := w.ranks[b.to]
	if to.epoch > m.epoch || to.epoch == m.epoch && !to.inside {
		w.fail("rank %d ended epoch %d early: rank %d creates a frame for it", b.to, m.epoch, rank)
		return
	}
	phase := uint32(0)
	if m.ledger != nil {
		if phase = m.ledger.Create(b.to); w.plan.phaseless {
			phase = 0
		}
	}
	m.counts.Created++
	m.created++
	w.open[rank]++
	w.frames = append(w.frames, frame{rank, b.to, m.epoch, phase, b.pebbles})
	b.pebbles = nil
}

// ready reports whether a frame's receiver has begun its epoch.
func (w *world) ready(f frame) bool {
	m := w.ranks[f.to]
	return m.inside && m.epoch == f.epoch
}

// handle handles a frame.
func (w *world) handle(i int) {
	f := w.frames[i]
	last := len(w.frames) - 1
	w.frames[i] = w.frames[last]
	w.frames = w.frames[:last]
	m := w.ranks[f.to]
	for _, p := range f.pebbles {
		if p.dest == m.id {
			w.handler(m, p)
		} else {
			w.put(m, p)
		}
	}
	m.counts.Processed++
	if m.ledger != nil {
		m.ledger.Process(f.from, f.phase)
	}
	if w.plan.slowAcks {
		w.acks[f.from]++
	} else {
		w.open[f.from]--
	}
}

// ack notifies a rank that one of its frames has been processed.
func (w *world) ack(rank int) {
	w.acks[rank]--
	w.open[rank]--
}

// deliver makes a letter arrive.
func (w *world) deliver(rank, i int) { w.letters[rank][i].arrived = true }

// stage returns the last stage whose waiting buffers a rank sends when it has nothing else to do.
func (m *member) stage() int {
	if s, ok := m.detector.(termination.Stager); ok {
		return s.Stage()
	}
	return 1 << 30
}

// quiet reports whether a rank has nothing to do except to send waiting buffers.
func (m *member) quiet() bool { return len(m.work) == 0 && len(m.queue) == 0 }

func (m *member) idle() bool {
	if !m.quiet() {
		return false
	}
	stage := m.stage()
	for i := range m.buffers {
		if len(m.buffers[i].pebbles) > 0 && m.buffers[i].stage <= stage {
			return false
		}
	}
	return true
}

// step runs a rank's detector once. A hesitant rank does not report that it is idle.
func (w *world) step(rank int, hesitant bool) {
	m := w.ranks[rank]
	state := termination.State{Counts: m.counts, Idle: m.idle() && !hesitant, Back: w.open[rank] == 0, Ledger: m.ledger}
	w.desk = desk{w, m}
	if m.detector.Step(&w.desk, state) {
		m.inside = false
		w.judge(m)
	}
}

// traits are the properties of detectors that tests cannot see in them.
type traits struct {
	job     bool // a verdict is about the whole job, not only about this rank
	endless bool // an epoch may take any number of rounds
}

// traitsOf returns the traits of a detector. A new detector needs a row: the tests would pass without a look at it.
func traitsOf(name string) traits {
	t, ok := map[string]traits{
		"skr": {job: true, endless: true}, "central": {job: true, endless: true}, "nbx": {job: true},
		"pcx": {}, "pcx-neighbors": {}, "ordered": {},
	}[name]
	if !ok {
		panic("termination: give detector " + name + " a row in traitsOf")
	}
	return t
}

// judge checks whether a verdict is true.
func (w *world) judge(m *member) {
	busy := func(o *member) bool {
		for i := range o.buffers {
			if len(o.buffers[i].pebbles) > 0 {
				return true
			}
		}
		return !o.quiet()
	}
	job := traitsOf(m.detector.Name()).job
	if err := w.plan.bill(m); err != nil && !w.plan.free {
		w.fail("rank %d: %w", m.id, err)
	}
	if busy(m) {
		w.fail("rank %d ended epoch %d early: it is not at rest itself", m.id, m.epoch)
	}
	for _, o := range w.ranks {
		switch {
		case o.epoch < m.epoch || o.epoch == m.epoch && len(o.work) > 0:
			w.fail("rank %d ended epoch %d early: the body of rank %d has not returned", m.id, m.epoch, o.id)
		case job && o.epoch == m.epoch && o.inside && busy(o):
			w.fail("rank %d ended epoch %d early: rank %d is not at rest", m.id, m.epoch, o.id)
		}
	}
	for _, f := range w.frames {
		if f.epoch == m.epoch && (job || f.to == m.id) {
			w.fail("rank %d ended epoch %d early: a frame from rank %d to rank %d is on its way", m.id, m.epoch, f.from, f.to)
		}
	}
}

// bill compares the messages that a rank's detector sent in an epoch with the formula.
func (p *plan) bill(m *member) error {
	s := p.site
	floor := bits.Len(uint(s.Ranks)) - 1
	exchange := floor // messages of an all-reduction, and of what is made like one
	switch {
	case m.id >= 1<<floor:
		exchange = 1
	case m.id+1<<floor < s.Ranks:
		exchange++
	}
	switch name := m.detector.Name(); name {
	case "skr":
		if m.sent < 2*exchange || exchange > 0 && m.sent%exchange != 0 {
			return fmt.Errorf("skr sent %d messages, and a round has %d", m.sent, exchange)
		}
	case "pcx", "nbx":
		return equal(name, m.sent, s.Depth*s.Hops*exchange)
	case "pcx-neighbors":
		return equal(name, m.sent, s.Depth*s.Hops*len(s.Topology.Neighbors(m.id)))
	case "ordered":
		return equal(name, m.sent, s.Depth*len(s.Topology.Neighbors(m.id)))
	}
	return nil
}

func equal(name string, sent, formula int) error {
	if sent != formula {
		return fmt.Errorf("%s sent %d messages, the formula has %d", name, sent, formula)
	}
	return nil
}

// over reports whether every rank has ended its last epoch.
func (w *world) over() bool {
	for rank, m := range w.ranks {
		if m.inside || m.epoch < len(w.plan.bodies[rank]) {
			return false
		}
	}
	return true
}

// close checks a world that is over: every pebble has been handled, and every letter taken.
func (w *world) close() {
	handled, planned := 0, 0
	for rank, m := range w.ranks {
		handled += m.handled
		for _, body := range w.plan.bodies[rank] {
			planned += count(body)
		}
		if len(w.letters[rank]) > 0 {
			w.fail("rank %d was sent %d messages that it never took", rank, len(w.letters[rank]))
		}
	}
	if handled != planned && !w.plan.merging {
		w.fail("%d pebbles of %d have been handled", handled, planned)
	}
}

func count(pebbles []*pebble) int {
	n := len(pebbles)
	for _, p := range pebbles {
		n += count(p.children)
	}
	return n
}

// desk is the network of a detector's messages.
type desk struct {
	w *world
	m *member
}

func (d *desk) Open() uint64 { d.m.sequence++; return d.m.sequence }

func (d *desk) Send(to int, seq uint64, tag uint32, value []byte) {
	for _, l := range d.w.letters[to] {
		if l.from == d.m.id && l.seq == seq && l.tag == tag {
			d.w.fail("rank %d sends message %d, %d to rank %d twice", d.m.id, seq, tag, to)
		}
	}
	if to == d.m.id {
		d.w.fail("rank %d sends a message to itself", to)
	}
	d.m.sent++
	d.w.letters[to] = append(d.w.letters[to], letter{d.m.id, seq, tag, string(value), false})
}

func (d *desk) Take(from int, seq uint64, tag uint32) ([]byte, bool) {
	letters := d.w.letters[d.m.id]
	for i, l := range letters {
		if l.arrived && l.from == from && l.seq == seq && l.tag == tag {
			last := len(letters) - 1
			letters[i] = letters[last]
			d.w.letters[d.m.id] = letters[:last]
			return []byte(l.value), true
		}
	}
	return nil, false
}
