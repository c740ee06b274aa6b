package treadmarks

import (
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// micro is common to the microbenchmarks: the times of this rank, by case, and the number of wrong words read.
type micro struct {
	*run
	took  map[string][]time.Duration
	wrong uint64
}

func newMicro(u *run) micro { return micro{run: u, took: map[string][]time.Duration{}} }

// timed records the mean time of some operations done together.
func (m *micro) timed(name string, began time.Duration, operations int) {
	m.took[name] = append(m.took[name], (m.rank.Now()-began)/time.Duration(operations))
}

// want counts a wrong word.
func (m *micro) want(got, want uint64) {
	if got != want {
		m.wrong++
	}
}

// compute makes rank 0 compute for the configured time, before it goes on to a barrier.
func (m *micro) compute() {
	if m.rank.ID() == 0 {
		for began := m.rank.Now(); m.rank.Now()-began < m.config.Busy; {
			m.rank.Compute(m.config.Busy) // which takes time only in simulated runs
		}
	}
}

// value returns the word that is written to page p in a round.
func (m *micro) value(round, p int) uint64 {
	return apps.Fold(m.config.Seed, uint64(round)<<32|uint64(p))
}

// sum adds the medians to the result, each from the rank that has measured it.
func (m *micro) sum(names ...string) error {
	cases := map[string]float64{}
	for _, name := range names {
		most, err := pebble.AllReduce(m.rank, median(m.took[name]), pebble.Max)
		if err != nil {
			return err
		}
		if most > 0 {
			cases[name] = float64(most) / 1e3
			m.result.order = append(m.result.order, name)
		}
	}
	m.result.Cases = cases
	return nil
}

func (m *micro) judge() error { return m.result.Found(m.rank, m.wrong, "words were read wrong") }

// bare times accesses of package memory, by rank 1 to memory of rank 0: the best that a transport can do. They share
// one epoch. With apart each has its own epoch, for comparison with operations after a barrier, where rank 0 waits.
func (m *micro) bare(words int, apart bool, access func(a *memory.Array[uint64])) error {
	a := memory.NewArray[uint64](m.memory, "bare", m.atRank0(words))
	epochs, each := 1, m.config.Rounds
	if apart {
		epochs, each = each, epochs
	}
	for range epochs {
		err := m.rank.Epoch(func() error {
			if m.rank.ID() == 1 {
				for range each {
					began := m.rank.Now()
					access(a)
					m.timed("bare", began, 1)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return a.Free()
}

// barriers are barriers of pages without any changes, next to those of the runtime. Before each row of them every rank
// writes a word, and reads those of all others after another barrier.
type barriers struct {
	micro
	words *pages.Slice[uint64]
}

func newBarriers(u *run) part { return &barriers{micro: newMicro(u)} }

func (b *barriers) load() (err error) {
	b.words = newSlice[uint64](b.run, "words", b.rows(b.rank.Size(), 1).distribution(b.rank.Size()))
	return nil
}

func (b *barriers) kernel() error {
	ranks, me := b.rank.Size(), b.rank.ID()
	for round := range b.config.Rounds {
		b.words.Write(uint64(me), uint64(me)+1)[0] = b.value(round, me)
		if err := b.space.Barrier(); err != nil {
			return err
		}
		for other := range ranks {
			b.want(b.words.Read(uint64(other), uint64(other)+1)[0], b.value(round, other))
		}
		if err := b.space.Barrier(); err != nil {
			return err
		}
		if err := b.row("barrier", b.space.Barrier); err != nil {
			return err
		}
		if err := b.row("bare", b.rank.Barrier); err != nil {
			return err
		}
		b.tick(round + 1)
	}
	return b.sum("barrier", "bare")
}

// row times barriers in a row. A single one would take longer on the ranks that come to it first, by as much as the
// ranks left the one before at different times.
func (b *barriers) row(name string, barrier func() error) error {
	const row = 8
	began := b.rank.Now()
	for range row {
		if err := barrier(); err != nil {
			return err
		}
	}
	b.timed(name, began, row)
	return nil
}

// locks are acquisitions by rank 1 of a lock at rank 0, last held by rank 0, or by rank 2 if it exists, next to bare
// swaps. A counter under the lock checks that none is lost.
type locks struct {
	micro
	lock  *pages.Lock
	count *pages.Slice[uint64]
	taken uint64
}

func newLocks(u *run) part { return &locks{micro: newMicro(u)} }

func (l *locks) load() (err error) {
	l.lock = newLock(l.run, "lock")
	l.count = newSlice[uint64](l.run, "count", l.atRank0(1))
	return nil
}

// turn makes a rank take the lock, and the others wait for its release. It records the time of the acquisition.
func (l *locks) turn(rank int, name string) error {
	if l.rank.ID() == rank {
		began := l.rank.Now()
		l.lock.Lock()
		if name != "" {
			l.timed(name, began, 1)
		}
		n := l.count.Write(0, 1)
		l.want(n[0], l.taken)
		n[0]++
		l.lock.Unlock()
	}
	l.taken++
	if rank == 1 {
		l.compute()
	}
	return l.rank.Barrier()
}

func (l *locks) kernel() error {
	for round := range l.config.Rounds {
		for _, last := range []struct {
			rank int
			name string
		}{{0, "direct"}, {2, "indirect"}} {
			if last.rank >= l.rank.Size() {
				continue
			}
			if err := l.turn(last.rank, ""); err != nil {
				return err
			}
			if err := l.turn(1, last.name); err != nil {
				return err
			}
		}
		l.tick(round + 1)
	}
	if err := l.bare(1, true, func(a *memory.Array[uint64]) { memory.Swap(a, 0, 1) }); err != nil {
		return err
	}
	return l.sum("direct", "indirect", "bare")
}

func (l *locks) judge() error {
	if err := l.space.Barrier(); err != nil {
		return err
	}
	l.want(l.count.Read(0, 1)[0], l.taken)
	return l.micro.judge()
}

// paged is pages with home at rank 0.
type paged struct {
	micro
	words *pages.Slice[uint64]
	each  int // words per page
	got   []uint64
}

func newPaged(u *run) paged {
	return paged{micro: newMicro(u), each: u.config.PageBytes / 8, got: make([]uint64, u.config.Size)}
}

func (g *paged) load() (err error) {
	n := g.each * g.config.Size
	if err := apps.MustFit(g.rank, "treadmarks: the pages", uint64(3*8*n), "give fewer"); err != nil {
		return err
	}
	g.words = newSlice[uint64](g.run, "pages", g.atRank0(n))
	return nil
}

// page returns the beginning of a page.
func (g *paged) page(p int) uint64 { return uint64(p * g.each) }

// faults are pages that rank 0 has written. It reads a word of each, and then rank 1 does.
type faults struct{ paged }

func newFaults(u *run) part { return &faults{newPaged(u)} }

// read reads one word of each page; compare checks them afterwards.
func (g *paged) read(round int) {
	for p := range g.got {
		g.got[p] = g.words.Read(g.page(p), g.page(p)+1)[0]
	}
}

func (g *paged) compare(round int) {
	for p, got := range g.got {
		g.want(got, g.value(round, p))
	}
}

func (f *faults) kernel() error {
	for round := range f.config.Rounds {
		if f.rank.ID() == 0 {
			for p := range f.config.Size {
				f.words.Write(f.page(p), f.page(p)+1)[0] = f.value(round, p)
			}
			f.read(round)
			f.compare(round)
		}
		if err := f.space.Barrier(); err != nil {
			return err
		}
		if f.rank.ID() == 1 {
			began := f.rank.Now()
			f.read(round)
			f.timed("page", began, f.config.Size)
			f.compare(round)
		}
		f.compute()
		if err := f.space.Barrier(); err != nil {
			return err
		}
		f.tick(round + 1)
	}
	page := make([]uint64, f.each)
	if err := f.bare(f.each, false, func(a *memory.Array[uint64]) { a.GetRange(0, page) }); err != nil {
		return err
	}
	return f.sum("page", "bare")
}

// diffs are words of pages that rank 1 writes under a lock, one of each page or all. Another rank reads them: rank 2,
// or else the home.
type diffs struct {
	paged
	lock *pages.Lock
}

func newDiffs(u *run) part { return &diffs{paged: newPaged(u)} }

func (d *diffs) load() (err error) {
	d.lock = newLock(d.run, "lock")
	return d.paged.load()
}

func (d *diffs) kernel() error {
	for round := range d.config.Rounds {
		for i, name := range []string{"small", "large"} {
			words := []int{1, d.each}[i]
			if err := d.turn(2*round+i, name, words); err != nil {
				return err
			}
		}
		d.tick(round + 1)
	}
	return d.sum("small", "small write", "small release", "small read",
		"large", "large write", "large release", "large read")
}

func (d *diffs) turn(round int, name string, words int) error {
	n, reader := d.config.Size, 2
	if reader >= d.rank.Size() {
		reader = 0
	}
	var total time.Duration // of the rank's part
	if d.rank.ID() == 1 {
		d.lock.Lock()
		began := d.rank.Now()
		for p := range n {
			v := d.value(round, p)
			page := d.words.Write(d.page(p), d.page(p)+uint64(words))
			for i := range page {
				page[i] = v + uint64(i)
			}
		}
		written := d.rank.Now()
		d.timed(name+" write", began, n)
		d.lock.Unlock()
		d.timed(name+" release", written, n)
		total = d.rank.Now() - began
	}
	if err := d.rank.Barrier(); err != nil {
		return err
	}
	if d.rank.ID() == reader {
		d.lock.Lock()
		began, wrong := d.rank.Now(), uint64(0)
		for p := range n {
			v := d.value(round, p)
			for i, got := range d.words.Read(d.page(p), d.page(p)+uint64(words)) {
				wrong |= got ^ (v + uint64(i))
			}
		}
		d.timed(name+" read", began, n)
		total = d.rank.Now() - began
		d.lock.Unlock()
		d.want(wrong, 0)
	}
	both, err := pebble.AllReduce(d.rank, total, pebble.Sum)
	if d.rank.ID() == 0 {
		d.took[name] = append(d.took[name], both/time.Duration(n))
	}
	return err
}
