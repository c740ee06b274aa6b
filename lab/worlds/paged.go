package worlds

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// paging is the shared pages of the program.
type paging struct {
	Paged        int // turns of each rank at shared pages before an epoch; 0 is none
	PageElements int
	PageBytes    int
	PageBlock    int // elements of one home; 0 is equal parts
	PageCopies   int // 1: copies of near pages, too
	PageFlat     int // 1: barriers go through rank 0
	PageLocks    int
	PageCache    int // bytes; 0 is the default
}

func (d drawn) pages(w *World) {
	w.Paged = 1 + d.small(3)
	w.PageElements = 1 + d.small(one(d, 30, 300, 3000))
	w.PageBytes = one(d, 64, 64, 256, 4096)
	if d.chance(30) {
		w.PageBlock = 1 + d.small(w.PageElements)
	}
	w.PageCopies, w.PageFlat = bit(d.chance(60)), bit(d.chance(20))
	w.PageLocks = d.small(3)
	if d.chance(30) {
		w.PageCache = 64<<10 + d.IntN(32<<10)
	}
}

func (p paging) check() error {
	if p.Paged > 0 && p.PageElements < 1 {
		return fmt.Errorf("worlds: paged=%d, page-elements=%d: give at least one", p.Paged, p.PageElements)
	}
	return nil
}

// paged is the part of the program that has shared pages: before each epoch all ranks write spans and read others, with
// barriers between, and each adds to words guarded by locks; in the epoch's body too where locks may be used there. A
// plain slice on each rank holds the expected values.
type paged struct {
	*World
	rank    *pebble.Rank
	space   *pages.Space
	slice   *pages.Slice[uint32]
	twin    []uint32
	guarded *pages.Slice[uint64]
	locks   []*pages.Lock
	added   []uint64 // by lock: by all ranks, so far
}

// guardedWords is how many words a lock guards. Some of them hold how often it was taken.
const guardedWords = 40

// openPages allocates the pages, if there are any.
func (p *program) openPages() {
	if p.Paged == 0 {
		return
	}
	g := &paged{World: p.World, rank: p.rank, twin: make([]uint32, p.PageElements), added: make([]uint64, p.PageLocks)}
	p.pages = g
	g.space = pages.New(memory.New(p.rank), pages.Config{
		PageBytes: p.PageBytes, Copies: p.PageCopies == 1, Flat: p.PageFlat == 1,
	})
	ranks, n := p.rank.Size(), uint64(p.PageElements)
	d := distribution.Indexed(distribution.Block(n, ranks))
	if p.PageBlock > 0 {
		d = distribution.BlockCyclic(n, ranks, uint64(p.PageBlock))
	}
	g.slice = pages.NewSlice[uint32](g.space, "spans", d)
	d = distribution.Block(uint64(guardedWords*p.PageLocks), ranks)
	g.guarded = pages.NewSlice[uint64](g.space, "guarded", d)
	for i := range p.PageLocks {
		g.locks = append(g.locks, pages.NewLock(g.space, fmt.Sprint("lock ", i), i%ranks))
	}
}

// play runs before an epoch.
func (g *paged) play(epoch int) error {
	if g == nil {
		return nil
	}
	for turn := range g.Paged {
		seed := mix(mix(g.Seed, uint64(epoch)), uint64(5000+turn))
		if err := g.write(seed); err != nil {
			return err
		}
		if err := g.addAll(epoch, turn); err != nil { // an acquire while pages are dirty that others write to
			return err
		}
		if err := g.space.Barrier(); err != nil {
			return err
		}
		if err := g.read(epoch, turn, mix(seed, 1)); err != nil {
			return err
		}
		if err := g.space.Barrier(); err != nil {
			return err
		}
		g.count(epoch, turn)
		if err := g.compare(epoch); err != nil {
			return err
		}
		if err := g.space.Barrier(); err != nil {
			return err
		}
	}
	return nil
}

// extent draws a span.
func (g *paged) extent(seed uint64) (lo, hi uint64) {
	n := uint64(g.PageElements)
	lo = mix(seed, 2) % n
	return lo, lo + 1 + mix(seed, 3)%(n-lo)
}

// writer is the rank that writes to an element of a span: one for all of it, or each in turn.
func (g *paged) writer(seed, i uint64) int {
	if mix(seed, 4)%2 == 0 {
		i = 0
	}
	return int((mix(seed, 5) + i) % uint64(g.Ranks))
}

// write writes this rank's elements of a span.
func (g *paged) write(seed uint64) error {
	lo, hi := g.extent(seed)
	mine := false
	for i := lo; i < hi && !mine; i++ {
		mine = g.writer(seed, i) == g.rank.ID()
	}
	var w []uint32
	if mine {
		w = g.slice.Write(lo, hi)
	}
	for i := lo; i < hi; i++ {
		if g.writer(seed, i) == g.rank.ID() {
			if got := w[i-lo]; got != g.twin[i] {
				return fmt.Errorf("element %d of the pages is %#x on rank %d that is to write it, not %#x",
					i, got, g.rank.ID(), g.twin[i])
			}
			w[i-lo] = uint32(mix(seed, i))
		}
		g.twin[i] = uint32(mix(seed, i))
	}
	return nil
}

func (g *paged) read(epoch, turn int, seed uint64) error {
	lo, hi := g.extent(seed)
	for i, got := range g.slice.Read(lo, hi) {
		if want := g.twin[lo+uint64(i)]; got != want {
			return fmt.Errorf("in turn %d before epoch %d, element %d of the pages is %#x on rank %d, not %#x",
				turn, epoch, lo+uint64(i), got, g.rank.ID(), want)
		}
	}
	return nil
}

// takes tells whether a rank takes a lock in a turn.
func (g *paged) takes(rank, epoch, turn, lock int) bool {
	return mix(mix(g.Seed, uint64(rank*1000+lock)), uint64(epoch*1000+turn))%3 > 0
}

// addAll adds at all locks that this rank takes in a turn.
func (g *paged) addAll(epoch, turn int) error {
	for lock := range g.locks {
		if g.takes(g.rank.ID(), epoch, turn, lock) {
			if err := g.add(lock); err != nil {
				return err
			}
		}
	}
	return nil
}

// add counts a turn at a lock, in some of the words that it guards.
func (g *paged) add(lock int) error {
	lo := uint64(lock * guardedWords)
	g.locks[lock].Lock()
	w := g.guarded.Write(lo, lo+guardedWords)
	first, middle, last := w[0], w[guardedWords/2], w[guardedWords-1]
	if first != middle || first != last {
		return fmt.Errorf("rank %d has lock %d, and sees %d, %d and %d turns", g.rank.ID(), lock, first, middle, last)
	}
	for _, i := range []int{0, guardedWords / 2, guardedWords - 1} {
		w[i] = first + 1
	}
	g.locks[lock].Unlock()
	return nil
}

// count adds the additions of all ranks in a turn to the expected sums.
func (g *paged) count(epoch, turn int) {
	for lock := range g.locks {
		for rank := range g.Ranks {
			if g.takes(rank, epoch, turn, lock) {
				g.added[lock]++
			}
		}
	}
}

func (g *paged) compare(epoch int) error {
	for lock, want := range g.added {
		lo := uint64(lock * guardedWords)
		if got := g.guarded.Read(lo, lo+guardedWords)[guardedWords-1]; got != want {
			return fmt.Errorf("before epoch %d, lock %d was taken %d times by what rank %d sees, not %d",
				epoch, lock, got, g.rank.ID(), want)
		}
	}
	return nil
}

// inBody is the turn at locks in an epoch's body, after the last one before it.
func (g *paged) inBody(epoch int) error {
	if g == nil || g.declares() {
		return nil
	}
	return g.addAll(epoch, g.Paged)
}

// ended counts the turns of an epoch's body.
func (g *paged) ended(epoch int) {
	if g != nil && !g.declares() {
		g.count(epoch, g.Paged)
	}
}
