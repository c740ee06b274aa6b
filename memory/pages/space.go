package pages

import (
	"encoding/binary"
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/internal/inside"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
)

// Config has the settings of a rank's shared pages. All ranks give the same.
type Config struct {
	// PageBytes is the default size of the pages of a slice: a power of two from 64 bytes to 1 MiB; 0 stands for
	// PageBytesDefault.
	PageBytes int
	// Copies makes this rank use local copies of all pages, also if a page's home is near: for tests, and to measure
	// their cost.
	Copies bool
	// Checked makes the processor check spans, by memory protection: it implies Copies. An access to elements of a
	// slice outside all open spans, and a write to a span of Read, ends the job with an error that names them. It costs
	// a system call for each span. Builds with the tag pebbles_check always do so.
	Checked bool
	// Flat makes barriers go through rank 0, as in the paper (section 2.2.2), instead of by recursive doubling.
	Flat bool
}

// PageBytesDefault is the default size of pages.
const PageBytesDefault = 4096

const (
	pageBytesMin = 64
	pageBytesMax = 1 << 20
)

func (c *Config) copies() bool { return c.Copies || c.Checked }

// Space is one rank's access to shared pages, for its main function and its tasks.
type Space struct {
	rank   *pebble.Rank
	engine *engine.Rank
	inside inside.Space
	memory netio.OneSided
	shared *memory.Space
	config Config

	now      uint32 // counts acquires and releases: spans are valid within one
	regions  []*region
	locks    []*Lock
	written  []written // in this interval
	twins    []twin    // of dirty pages
	borrowed []written // copies of near pages that this interval has
	spare    [][]byte  // memory of twins
	valid    int       // valid copies
	held     int64     // bytes of copies and twins
	limit    int64

	log     logs
	steps   []collective.Step // of a barrier
	record  []byte            // of this rank, in a barrier
	runs    []run
	busy    bool // a call changes pages, and waits
	waiters []inside.Operation
	meeting []uint64
	counts  Counts
}

// Counts counts a rank's work with pages since its space was made.
type Counts struct {
	PagesFetched  uint64 `json:"pages_fetched"` // from homes
	Fetches       uint64 `json:"fetches"`       // transfers of neighbouring pages
	Twins         uint64 `json:"twins"`         // pages copied before a write
	DiffBytes     uint64 `json:"diff_bytes"`    // bytes put to homes
	DiffRuns      uint64 `json:"diff_runs"`     // transfers of neighbouring elements
	Notices       uint64 `json:"notices"`       // words of write notices filed
	Invalidations uint64 `json:"invalidations"` // of copies
	Evictions     uint64 `json:"evictions"`     // of copies, to make room
	Locks         uint64 `json:"locks"`         // acquired
	LockWaits     uint64 `json:"lock_waits"`    // acquired from another holder
	Barriers      uint64 `json:"barriers"`
}

// Add returns the sum of two ranks' counts.
func (c Counts) Add(o Counts) Counts {
	return Counts{
		c.PagesFetched + o.PagesFetched, c.Fetches + o.Fetches, c.Twins + o.Twins, c.DiffBytes + o.DiffBytes,
		c.DiffRuns + o.DiffRuns, c.Notices + o.Notices, c.Invalidations + o.Invalidations, c.Evictions + o.Evictions,
		c.Locks + o.Locks, c.LockWaits + o.LockWaits, c.Barriers + o.Barriers,
	}
}

// Since returns the counts since an earlier reading.
func (c Counts) Since(then Counts) Counts {
	return Counts{
		c.PagesFetched - then.PagesFetched, c.Fetches - then.Fetches, c.Twins - then.Twins, c.DiffBytes - then.DiffBytes,
		c.DiffRuns - then.DiffRuns, c.Notices - then.Notices, c.Invalidations - then.Invalidations,
		c.Evictions - then.Evictions, c.Locks - then.Locks, c.LockWaits - then.LockWaits, c.Barriers - then.Barriers,
	}
}

// New makes a rank's shared pages. All ranks call it, once, between epochs, with an equal configuration. It allocates
// 64 KiB on each rank, for write notices.
func New(space *memory.Space, c Config) *Space {
	r, inner := space.Rank(), space.Inside(frame.Access{})
	if c.PageBytes == 0 {
		c.PageBytes = PageBytesDefault
	}
	c.Checked = c.Checked || alwaysChecked
	if !inner.ClaimPages() {
		inner.Engine().Misuse("pages", "New was called twice: a rank has one space of pages")
	}
	s := &Space{
		rank: r, engine: inner.Engine(), inside: inner, memory: inner.OneSided(), shared: space, config: c,
		now: 1, limit: r.Config().PageCache,
	}
	ranks := r.Size()
	description := fmt.Sprintf("pages of %d bytes, copies %v, checked %v, flat %v",
		c.PageBytes, c.Copies, c.Checked, c.Flat)
	ring := memory.NewArray[uint64](space, description, distribution.Block(uint64(ranks)*logWords, ranks))
	sites := ring.Inside(frame.Access{})
	s.steps = s.engine.Collectives.Sharing(c.Flat)
	s.log = logs{me: r.ID(), own: ring.Local(), time: make([]uint64, ranks), met: make([]uint64, ranks)}
	for _, site := range sites {
		s.log.at = append(s.log.at, site.At)
	}
	if err := checkPageBytes(c.PageBytes); err != nil {
		s.fail("pages.New", err)
	}
	s.engine.Hooks.OnBoundary(s.mayLeave)
	s.engine.Hooks.DescribeFault(s.stray)
	s.engine.Hooks.OnExplain(s.describe)
	return s
}

// fail ends the job by a call's error, and does not return.
func (s *Space) fail(call string, cause error) {
	s.engine.Fail(fmt.Errorf("rank %d: %s: %w", s.rank.ID(), call, cause))
}

func checkPageBytes(bytes int) error {
	if bytes < pageBytesMin || bytes > pageBytesMax || bytes&(bytes-1) != 0 {
		return fmt.Errorf("pages of %d bytes: give a power of two from %d to %d", bytes, pageBytesMin, pageBytesMax)
	}
	return nil
}

// Rank returns the rank that the space belongs to.
func (s *Space) Rank() *pebble.Rank { return s.rank }

// Counts returns the counts so far.
func (s *Space) Counts() Counts { return s.counts }

// describe returns the memory limits of pages, for explanations.
func (s *Space) describe() string {
	homes, slices := int64(0), 0
	for _, r := range s.regions {
		if r != nil {
			homes += int64(r.n) * int64(r.size)
			slices++
		}
	}
	return fmt.Sprintf("Shared pages: %d slices of %d bytes in all at their homes; copies and twins of at most %d "+
		"bytes a rank (--page-cache), %d at the most in the job", slices, homes, s.limit, s.limit*int64(s.rank.Size()))
}

// begin starts a change of this rank's pages. A task waits while another one makes a change.
func (s *Space) begin(call string) {
	s.inside.Caller(call)
	for s.busy {
		o := s.inside.Begin("")
		o.Completion().Inside(frame.Access{}).Begin(1)
		s.waiters = append(s.waiters, o)
		o.End(call)
	}
	s.busy = true
}

// end ends the change, and wakes the next waiting task.
func (s *Space) end() {
	s.busy = false
	if len(s.waiters) > 0 {
		o := s.waiters[0]
		s.waiters = s.waiters[:copy(s.waiters, s.waiters[1:])]
		o.Completion().Inside(frame.Access{}).End(1, nil)
	}
}

// Barrier returns when all ranks have called it, and each sees all earlier writes of all. It is a release and an
// acquire, for the main function between epochs. No lock may be held. Spans end.
//
// It costs a put and a fence if pages that are not near have changed, and ⌈log2 P⌉ rounds of messages with write
// notices. Many notices cost further transfers.
func (s *Space) Barrier() error {
	const call = "Barrier"
	if s.engine.InEpoch() {
		s.inside.Misuse("Barrier was called inside an epoch: it is for the main function between epochs")
	}
	s.begin(call)
	if err := s.mayLeave("a barrier"); err != nil {
		return s.engine.FailIn("pages.Barrier", err)
	}
	s.release(call, nil)
	s.record = s.news(s.record[:0])
	all, err := s.engine.Collectives.Share(s.steps, s.record)
	if err != nil {
		return err
	}
	s.meet(call, all)
	copy(s.log.met, s.log.time)
	s.next(call)
	s.counts.Barriers++
	s.end()
	return nil
}

// newsMax is the largest number of notice words in a rank's record of a barrier. With more, other ranks get them from
// its log.
const newsMax = 1 << 10

// news appends the record of a barrier: this rank's time, and the notices since the last one if they are few.
func (s *Space) news(b []byte) []byte {
	me := s.log.me
	from, to := s.log.met[me], s.log.time[me]
	b = append(b, make([]byte, recordHead)...)
	b = binary.LittleEndian.AppendUint64(b, to)
	if to-from <= newsMax {
		for place := from; place < to; place++ {
			b = binary.LittleEndian.AppendUint64(b, s.log.own[place%logWords])
		}
	}
	binary.LittleEndian.PutUint32(b, uint32(len(b)-recordHead))
	return b
}

// recordHead is the bytes of a record's length, as collective.AppendRecord writes it.
const recordHead = 4

// meet applies the records of all ranks.
func (s *Space) meet(call string, all []byte) {
	s.meeting = append(s.meeting[:0], s.log.time...)
	time := s.meeting
	for i := 0; len(all) > 0; i++ {
		rank := collective.RankAt(i, s.rank.Size())
		n := int(binary.LittleEndian.Uint32(all))
		record := all[recordHead : recordHead+n]
		all = all[recordHead+n:]
		if rank == s.log.me || rank >= len(time) {
			continue
		}
		to := binary.LittleEndian.Uint64(record)
		time[rank] = to
		words := record[wordBytes:]
		s.told(call, rank, to, words)
	}
	s.acquire(call, time)
}

// told applies the last notices of another rank's log, up to a place. It leaves out those that don't follow the notices
// that this rank has seen: acquire gets them.
func (s *Space) told(call string, rank int, to uint64, words []byte) {
	from, seen := to-uint64(len(words)/wordBytes), s.log.time[rank]
	if s.valid == 0 || to <= seen || from > seen {
		return
	}
	s.tidy(call)
	for place := seen; place < to; place++ {
		s.hear(notice(binary.LittleEndian.Uint64(words[(place-from)*wordBytes:])), place)
	}
	s.log.time[rank] = to
}

// release puts this rank's writes to their homes, and files notices of them (Keleher and others, section 3). When it
// returns, all of that is visible, and so is the record of the release of lock l, unless l is nil.
func (s *Space) release(call string, l *Lock) {
	o := s.inside.Begin("pages")
	s.putDiffs(o.Completion(), true)
	var n int
	s.written, n = s.log.file(s.written)
	s.counts.Notices += uint64(n)
	if l != nil {
		l.write()
		l.of.PutRecord(o.Completion())
	}
	s.memory.Fence(o.Completion())
	o.End(call)
}

// flush puts the changes of pages with twins to their homes. If all is false, it leaves out pages that are open.
func (s *Space) flush(call string, all bool) {
	if len(s.twins) == 0 {
		return
	}
	o := s.inside.Begin("pages")
	s.putDiffs(o.Completion(), all)
	s.memory.Fence(o.Completion())
	o.End(call)
	s.protectAll()
}

// putDiffs begins to put the changes of pages with twins to their homes.
func (s *Space) putDiffs(c *netio.Completion, all bool) {
	kept := s.twins[:0]
	for _, t := range s.twins {
		r := t.of
		if !all && r.stamp[t.page] == s.now {
			kept = append(kept, t)
			continue
		}
		r.unprotect(r.bounds(t.page))
		b := r.bytes(t.page)
		s.runs = diff(s.runs[:0], b, t.before, grain(r.size))
		lo, _ := r.bounds(t.page)
		home := r.home(lo)
		for _, changed := range s.runs {
			s.memory.Put(home.Plus(changed.from), b[changed.from:changed.to], c)
			s.counts.DiffBytes += uint64(changed.to - changed.from)
		}
		s.counts.DiffRuns += uint64(len(s.runs))
		r.state[t.page] &^= dirty
		s.spare = append(s.spare, t.before)
	}
	clear(s.twins[len(kept):])
	s.twins = kept
}

// tidy puts this rank's writes to copies to their homes, before copies are invalidated.
func (s *Space) tidy(call string) { s.flush(call, true) }

// acquire brings this rank up to a vector time: it gets the notices that it has not seen, and invalidates copies of the
// pages that they name (Keleher and others, section 3).
func (s *Space) acquire(call string, time []uint64) {
	l := &s.log
	total := uint64(0)
	for rank, t := range time {
		switch missing := t - l.time[rank]; {
		case t <= l.time[rank]:
		case s.valid == 0:
			l.time[rank] = t // no copies to invalidate
		case missing > logWords:
			s.tidy(call)
			s.invalidateAll()
			l.time[rank] = t
		default:
			total += missing
		}
	}
	if total == 0 {
		return
	}
	s.tidy(call)
	if uint64(len(l.got)) < total {
		l.got = make([]uint64, total)
	}
	o, at := s.inside.Begin("write notices"), uint64(0)
	for rank, t := range time {
		if t > l.time[rank] {
			n := t - l.time[rank]
			l.get(s.memory, rank, l.time[rank], t, l.got[at:at+n], o.Completion())
			at += n
		}
	}
	o.End(call)
	at = 0
	for rank, t := range time {
		for ; l.time[rank] < t; l.time[rank]++ {
			s.hear(notice(l.got[at]), l.time[rank])
			at++
		}
	}
}

// hear applies a notice read from a place of a log.
func (s *Space) hear(n notice, place uint64) {
	if !n.at(place) {
		s.invalidateAll()
		return
	}
	if n.region() < len(s.regions) && s.regions[n.region()] != nil {
		s.regions[n.region()].invalidate(n.page(), n.count())
	}
}

func (s *Space) invalidateAll() {
	for _, r := range s.regions {
		if r != nil {
			r.invalidate(0, len(r.state))
		}
	}
}

// next ends all spans.
func (s *Space) next(call string) {
	if len(s.borrowed) > 0 {
		s.flush(call, true)
	}
	for _, b := range s.borrowed {
		if r := s.regions[b.region]; r != nil {
			r.invalidate(int(b.page), 1)
		}
	}
	s.borrowed = s.borrowed[:0]
	s.now++
	s.protectAll()
}
