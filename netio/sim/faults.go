package sim

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"time"

	"github.com/activepebbles/pebbles/netio"
)

// Faults are injected at random, by the world's seed. docs/contract.md says what the runtime guarantees under each.
type Faults struct {
	// Delay is the probability that a frame is late, and DelayMost the longest delay. Delayed frames are overtaken by
	// others; nothing but time changes.
	Delay     float64       `json:"delay,omitempty"`
	DelayMost time.Duration `json:"delay_most,omitempty"` // 0 is 100 µs

	// Probabilities for a frame between processes. A lost or damaged frame ends the job; a second copy is dropped.
	Loss    float64 `json:"loss,omitempty"`
	Double  float64 `json:"double,omitempty"`
	Corrupt float64 `json:"corrupt,omitempty"`

	// Hide is for how long what a put has written stays hidden after the put is done, unless a fence makes it visible.
	// That is the least that netio.OneSided promises.
	Hide time.Duration `json:"hide,omitempty"`

	Partitions []Partition `json:"partitions,omitempty"`
	Freezes    []Freeze    `json:"freezes,omitempty"`
	Deaths     []Death     `json:"deaths,omitempty"`

	Silence time.Duration `json:"silence,omitempty"` // after which a process counts as lost; 0 is 10 s
}

// Partition cuts processes 0..Below-1 off from the others for a while. Frames sent meanwhile arrive afterwards. If it
// lasts as long as the silence limit, the job ends.
type Partition struct {
	Below int           `json:"below"`
	At    time.Duration `json:"at"`
	For   time.Duration `json:"for"`
}

// Freeze stops the ranks of a process for a while.
type Freeze struct {
	Process int           `json:"process"`
	At      time.Duration `json:"at"`
	For     time.Duration `json:"for"`
}

// Death kills a process.
type Death struct {
	Process int           `json:"process"`
	At      time.Duration `json:"at"`
}

const (
	delayDefault   = 100 * time.Microsecond
	silenceDefault = 10 * time.Second
	breaksAfter    = 10 * time.Millisecond // until a broken connection is noticed
)

// None reports whether there are no faults.
func (f Faults) None() bool {
	return f.Delay == 0 && f.Hide == 0 && !f.frames() && len(f.Partitions)+len(f.Freezes)+len(f.Deaths) == 0
}

// Harmless reports whether no fault can end the job.
func (f Faults) Harmless() bool {
	f = f.withDefaults()
	for _, p := range f.Partitions {
		if p.For >= f.Silence {
			return false
		}
	}
	for _, z := range f.Freezes {
		if z.For >= f.Silence {
			return false
		}
	}
	return f.Loss == 0 && f.Corrupt == 0 && len(f.Deaths) == 0
}

// frames reports whether frames between processes can be faulty.
func (f Faults) frames() bool { return f.Loss > 0 || f.Double > 0 || f.Corrupt > 0 }

func (f Faults) withDefaults() Faults {
	if f.DelayMost == 0 {
		f.DelayMost = delayDefault
	}
	if f.Silence == 0 {
		f.Silence = silenceDefault
	}
	return f
}

func (f Faults) check(processes int) error {
	f = f.withDefaults()
	for name, chance := range map[string]float64{"delay": f.Delay, "loss": f.Loss, "double": f.Double, "corrupt": f.Corrupt} {
		if !(chance >= 0 && chance <= 1) {
			return fmt.Errorf("sim: faults: %s %v: a chance is 0 to 1", name, chance)
		}
	}
	if f.Silence < 0 || f.DelayMost < 0 || f.DelayMost >= f.Silence/2 {
		return fmt.Errorf("sim: faults: a delay of %v and a silence limit of %v: the limit must be more than twice the longest delay", f.DelayMost, f.Silence)
	}
	for _, p := range f.Partitions {
		if p.Below < 1 || p.Below >= processes || p.At < 0 || p.For < 0 {
			return fmt.Errorf("sim: faults: a partition below process %d of %d, at %v for %v: each side needs a process, and times are positive",
				p.Below, processes, p.At, p.For)
		}
	}
	for _, z := range f.Freezes {
		if z.Process < 0 || z.Process >= processes || z.At < 0 || z.For < 0 {
			return fmt.Errorf("sim: faults: process %d of %d is frozen at %v for %v: it must exist, and times are positive", z.Process, processes, z.At, z.For)
		}
	}
	for _, d := range f.Deaths {
		if d.Process < 0 || d.Process >= processes || d.At < 0 {
			return fmt.Errorf("sim: faults: process %d of %d dies at %v: it must exist, and times are positive", d.Process, processes, d.At)
		}
	}
	return nil
}

// prepare plans the faults, before the world begins.
func (w *World) prepare() {
	w.config.Faults = w.config.Faults.withDefaults()
	f := w.config.Faults
	if f.None() {
		return
	}
	w.random = rand.New(rand.NewPCG(w.config.Seed, 0x6661756c7473))
	w.streams = map[[2]int]*stream{}
	for _, p := range f.Partitions {
		if p.For >= f.Silence {
			w.plan(instantOf(p.At+f.Silence), func() { w.split(p.Below) })
		}
	}
	for _, z := range f.Freezes {
		w.plan(instantOf(z.At), func() { w.freeze(z) })
	}
	for _, d := range f.Deaths {
		w.plan(instantOf(d.At), func() { w.kill(w.processes[d.Process]) })
	}
}

// split reports to each side of a partition that the other is lost.
func (w *World) split(below int) {
	w.mu.Lock()
	w.aborted = true
	w.mu.Unlock()
	for _, p := range w.processes {
		other := w.processes[0]
		if p.place.Process < below {
			other = w.processes[below]
		}
		p.fail(other.loss(ErrSilent))
	}
}

func (w *World) freeze(z Freeze) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.processes[z.Process]
	for rank := p.place.First; rank < p.place.Last; rank++ {
		w.ranks[rank].frozen = w.now + instantOf(z.For)
	}
	if silence := w.config.Faults.Silence; z.For >= silence && len(w.processes) > 1 {
		w.plan(w.now+instantOf(silence), func() { w.declareLost(p, ErrSilent) })
	}
}

// declareLost reports a process as lost to all others. They close their connections to it; if it is alive, it notices
// that.
func (w *World) declareLost(p *Process, cause error) {
	w.mu.Lock()
	if p.ranks == 0 && !p.dead {
		w.mu.Unlock()
		return // it has ended meanwhile
	}
	p.lost, w.aborted = true, true
	for rank := p.place.First; p.dead && rank < p.place.Last; rank++ {
		w.ranks[rank].clear() // the dead process won't release these
	}
	w.mu.Unlock()
	for _, other := range w.processes {
		if other != p {
			other.fail(p.loss(cause))
		}
	}
	p.fail(w.processes[(p.place.Process+1)%len(w.processes)].loss(ErrBroken))
}

// kill ends a process: its ranks get no more turns.
func (w *World) kill(p *Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if p.ranks == 0 || p.dead {
		return
	}
	p.dead, p.lost, p.down = true, true, true
	w.dead += p.ranks
	for rank := p.place.First; rank < p.place.Last; rank++ {
		w.retire(&w.ranks[rank])
		w.queue.later(rank, never)
		w.ranks[rank].parked = false
	}
	w.plan(w.now+instantOf(breaksAfter), func() { w.declareLost(p, ErrBroken) })
}

// endDead ends the functions of dead processes when no other rank is left, so that no goroutine leaks. The world is
// locked.
func (w *World) endDead() {
	w.dead = 0
	for _, p := range w.processes {
		if !p.dead {
			continue
		}
		p.dead = false
		for rank := p.place.First; rank < p.place.Last; rank++ {
			r := &w.ranks[rank]
			r.woken = true
			w.queue.sooner(r.id, max(w.now, r.clock))
		}
		w.unlocked(func() { p.fail(ErrDied) })
	}
}

// envelope is the sequence number and checksum by which the receiver of a frame detects faults.
type envelope struct {
	stream *stream
	number uint64
	sum    uint32
}

// stream numbers the frames from one process to another, as a connection does.
type stream struct {
	from, to *Process
	sent     uint64
	below    uint64          // all frames before it have arrived
	beyond   map[uint64]bool // those that have arrived out of order
	watched  bool            // a check of the number sent is planned
}

func (w *World) stream(from, to *Process) *stream {
	key := [2]int{from.place.Process, to.place.Process}
	s := w.streams[key]
	if s == nil {
		s = &stream{from: from, to: to, beyond: map[uint64]bool{}}
		w.streams[key] = s
	}
	return s
}

// receive notes the arrival of a frame, and reports whether it is the first copy. It is called when the frame is sent:
// a frame takes less than the silence limit, and one that its rank has not received yet is not missing.
func (s *stream) receive(number uint64) bool {
	if number < s.below || s.beyond[number] {
		return false
	}
	s.beyond[number] = true
	for s.beyond[s.below] {
		delete(s.beyond, s.below)
		s.below++
	}
	return true
}

// sendFaulty sends a frame over a link with faults.
func (w *World) sendFaulty(r, to *rank, k class, at instant, f *netio.Frame, opens bool) {
	faults := &w.config.Faults
	if w.drawn(faults.Delay) {
		w.stats.Delayed++
		at += instant(w.random.Int64N(int64(instantOf(faults.DelayMost)) + 1))
	}
	if k == withinProcess {
		w.deliver(to, parcel{at, w.number(), f, nil, opens})
		return
	}
	s := w.stream(r.process, to.process)
	e := &envelope{s, s.sent, checksum(f)}
	s.sent++
	w.watch(s)
	at, never := w.partitioned(r, to, at)
	if never || w.drawn(faults.Loss) {
		w.lose(r, f)
		return
	}
	if w.drawn(faults.Corrupt) {
		w.damage(f)
	}
	copies := 1
	if w.drawn(faults.Double) {
		w.stats.Duplicated++
		copies++
	}
	for range copies {
		if s.receive(e.number) {
			w.deliver(to, parcel{at, w.number(), f, e, opens})
		}
	}
}

func (w *World) drawn(chance float64) bool { return chance > 0 && w.random.Float64() < chance }

// lose drops a frame, and keeps its memory until the job is over. Its sender gets no error.
func (w *World) lose(r *rank, f *netio.Frame) {
	w.stats.Lost++
	w.lost.Push(f)
}

// damage flips a bit of a frame.
func (w *World) damage(f *netio.Frame) {
	w.stats.Corrupted++
	if bit := w.random.IntN(8 * (int(f.Bytes) + 1)); bit/8 < int(f.Bytes) {
		f.Payload()[bit/8] ^= 1 << (bit % 8)
	} else {
		f.Tag ^= 1 << (bit % 8)
	}
}

// partitioned is when a frame that meets partitions arrives, and whether it never does.
func (w *World) partitioned(r, to *rank, at instant) (instant, bool) {
	a, b := r.process.place.Process, to.process.place.Process
	for _, p := range w.config.Faults.Partitions {
		if (a < p.Below) == (b < p.Below) || r.clock < instantOf(p.At) || r.clock >= instantOf(p.At+p.For) {
			continue
		}
		if p.For >= w.config.Faults.Silence {
			return at, true
		}
		at += instantOf(p.At+p.For) - r.clock
	}
	return at, false
}

// watch plans a check that all frames sent have arrived, late enough for all of them.
func (w *World) watch(s *stream) {
	if s.watched {
		return
	}
	s.watched = true
	count := s.sent
	w.plan(w.time()+instantOf(w.config.Faults.Silence), func() { w.compare(s, count) })
}

// compare ends the job when one of those frames is missing.
func (w *World) compare(s *stream, count uint64) {
	w.mu.Lock()
	s.watched = false
	missing := s.below < count && !s.to.down
	if s.sent > count {
		w.watch(s)
	}
	w.mu.Unlock()
	if missing {
		s.to.fail(s.from.loss(fmt.Errorf("%w: frame %d of %d", ErrMissing, s.below+1, count)))
	}
}

// intact reports whether a parcel's frame is undamaged. The world is locked.
func (w *World) intact(r *rank, p parcel) bool {
	if checksum(p.frame) == p.envelope.sum {
		return true
	}
	w.lost.Push(p.frame)
	err := p.envelope.stream.from.loss(fmt.Errorf("%w: frame %d has a wrong checksum", netio.ErrDamaged, p.envelope.number+1))
	w.plan(w.time(), func() { r.process.fail(err) })
	return false
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksum is over the header and the payload.
func checksum(f *netio.Frame) uint32 {
	var head [48]byte
	h := f.Header
	fields := []uint32{uint32(h.Kind) | uint32(h.Flags)<<8 | uint32(h.Target)<<16, h.Epoch, h.From, h.To, h.Count, h.Bytes, h.Check, h.Tag,
		uint32(h.Seq), uint32(h.Seq >> 32)}
	for i, v := range fields {
		head[4*i], head[4*i+1], head[4*i+2], head[4*i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, f.Payload())
}
