package pages

import (
	"fmt"

	"github.com/activepebbles/pebbles/memory/internal/inside"
	"github.com/activepebbles/pebbles/netio"
)

// region has the pages of one slice on one rank: bytes, where a [Slice] has elements.
type region struct {
	s    *Space
	id   int
	name string
	layout
	size  int           // bytes of an element
	homes []inside.Site // by run
	state []state       // by page
	stamp []uint32      // by page: time of the last opening, on the space's clock
	copy  []byte        // local copies, in the order of elements; nil before the first
	order order         // pages with a copy, by their last use
	freed bool
}

// state describes a page on this rank.
type state uint8

const (
	resident state = 1 << iota // memory for a copy is allocated
	valid                      // the copy is up to date for reads of this rank
	dirty                      // the page has a twin
	// The others are valid if the page was opened since the last acquire or release, by its stamp.
	reading
	writing
)

const interval = reading | writing

// open opens the elements lo to hi-1, and returns their bytes.
func (r *region) open(call string, lo, hi uint64, how state) []byte {
	if lo >= hi || hi > r.n {
		if lo == hi && hi <= r.n && !r.freed {
			return nil
		}
		r.outside(call, lo, hi)
	}
	first, last := r.page(lo), r.page(hi-1)
	if r.runOf(first) == r.runOf(last) {
		if near := r.homes[r.runOf(first)].Near; near != nil && r.direct(first, last) {
			for p := first; p <= last; p++ {
				r.mark(p, how)
				if r.state[p]&resident != 0 {
					r.order.use(p) // open pages are the last of the list
				}
			}
			from := lo % r.run
			return near[from*uint64(r.size) : (from+hi-lo)*uint64(r.size)]
		}
	}
	return r.openCopy(call, lo, hi, how)
}

// direct reports whether pages are used in place: none has a copy that this rank has opened.
func (r *region) direct(first, last int) bool {
	if r.s.config.copies() {
		return false
	}
	if r.copy == nil {
		return true
	}
	for p := first; p <= last; p++ {
		if r.state[p]&valid != 0 {
			return false
		}
	}
	return true
}

// mark records that a page was opened.
func (r *region) mark(p int, how state) {
	if r.stamp[p] != r.s.now {
		r.stamp[p] = r.s.now
		r.state[p] &^= interval
	}
	if how == writing && r.state[p]&writing == 0 {
		r.s.written = append(r.s.written, written{uint32(r.id), uint32(p)})
	}
	r.state[p] |= how
}

// opened reports whether a page was opened in this way since the last acquire or release.
func (r *region) opened(p int, how state) bool { return r.stamp[p] == r.s.now && r.state[p]&how != 0 }

// openCopy opens local copies.
func (r *region) openCopy(call string, lo, hi uint64, how state) []byte {
	s := r.s
	first, last := r.page(lo), r.page(hi-1)
	changes := !s.engine.InHandler() || !r.immediate(first, last, how)
	if changes {
		s.begin(call)
	}
	r.beside(call, first, last, how)
	r.reserve(call)
	r.fetch(call, first, last)
	for p := first; p <= last; p++ {
		r.mark(p, how)
		r.order.use(p)
	}
	for p := first; p <= last && how == writing; p++ {
		if r.state[p]&dirty == 0 {
			r.twin(call, p)
		}
	}
	b := r.copy[lo*uint64(r.size) : hi*uint64(r.size)]
	if s.config.Checked {
		r.protect(first, last)
	}
	if changes {
		s.end()
	}
	return b
}

// immediate reports whether copies of near pages of one home can be opened without a wait: no task changes pages, and
// there is room, unless all that is needed is there.
func (r *region) immediate(first, last int, how state) bool {
	s, run := r.s, r.runOf(first)
	if run != r.runOf(last) || r.homes[run].Near == nil {
		return false
	}
	ready, needed := true, int64(0)
	for p := first; p <= last; p++ {
		ready = ready && r.state[p]&valid != 0
		if r.state[p]&resident == 0 {
			needed += r.pageBytes(p)
		}
		if how == writing && r.state[p]&dirty == 0 {
			needed += r.pageBytes(p)
		}
	}
	return ready && needed == 0 || !s.busy && s.held+needed <= s.limit
}

// beside ends the job if a span of copies overlaps an open span of the home's memory: writes to one of them would not
// be visible in the other.
func (r *region) beside(call string, first, last int, how state) {
	if r.s.config.copies() {
		return
	}
	for p := first; p <= last; p++ {
		if r.state[p]&valid == 0 && r.homes[r.runOf(p)].Near != nil &&
			(r.opened(p, writing) || how == writing && r.opened(p, reading)) {
			lo, hi := r.bounds(p)
			r.misuse(call, "elements %d to %d are open where their home is, and this span goes on beyond that: open the "+
				"longer span first, or two that end where the home does", lo, hi-1)
		}
	}
}

// fetch gets the pages that are not valid from their homes.
func (r *region) fetch(call string, first, last int) {
	s := r.s
	missing := 0
	for p := first; p <= last; p++ {
		if r.state[p]&valid == 0 {
			missing++
		}
	}
	if missing == 0 {
		return
	}
	r.makeRoom(call, first, last)
	o := s.inside.Begin(r.name)
	for p := first; p <= last; p++ {
		if r.state[p]&valid != 0 {
			continue
		}
		from, run := p, r.runOf(p)
		for p < last && r.runOf(p+1) == run && r.state[p+1]&valid == 0 {
			p++
		}
		lo, _ := r.bounds(from)
		_, hi := r.bounds(p)
		r.unprotect(lo, hi)
		s.memory.Get(r.home(lo), r.copy[lo*uint64(r.size):hi*uint64(r.size)], o.Completion())
		s.counts.Fetches++
	}
	o.End(call)
	for p := first; p <= last; p++ {
		if r.state[p]&valid == 0 {
			r.state[p] |= valid
			s.valid++
			if !s.config.copies() && r.homes[r.runOf(p)].Near != nil {
				s.borrowed = append(s.borrowed, written{uint32(r.id), uint32(p)})
			}
		}
	}
	s.counts.PagesFetched += uint64(missing)
}

// home returns the address of an element.
func (r *region) home(i uint64) netio.Address {
	return r.homes[i/r.run].At.Plus(int(i%r.run) * r.size)
}

// bytes returns the bytes of a page's copy.
func (r *region) bytes(p int) []byte {
	lo, hi := r.bounds(p)
	return r.copy[lo*uint64(r.size) : hi*uint64(r.size)]
}

// twin stores the current content of a page.
func (r *region) twin(call string, p int) {
	s, b := r.s, r.bytes(p)
	r.unprotect(r.bounds(p))
	t := s.takeTwin(call, r, len(b))
	copy(t, b)
	r.state[p] |= dirty
	s.twins = append(s.twins, twin{r, p, t})
	s.counts.Twins++
}

// invalidate records that others have written to pages.
func (r *region) invalidate(first, count int) {
	for p := first; p < first+count && p < len(r.state); p++ {
		if r.state[p]&valid != 0 {
			r.state[p] &^= valid
			r.s.valid--
			r.s.counts.Invalidations++
		}
	}
}

// outside ends the job: the region has no such elements.
func (r *region) outside(call string, lo, hi uint64) {
	switch {
	case r.freed:
		r.misuse(call, "it was freed")
	case lo > hi:
		r.misuse(call, "elements %d to %d are none: give the first one, and the one behind the last", lo, hi)
	}
	r.s.inside.Lacks(call, r.name, "elements %d to %d are not in it, it has %d", lo, hi-1, r.n)
}

func (r *region) misuse(call, format string, args ...any) {
	r.s.inside.Misuse("%s of %s: %s", call, r.name, fmt.Sprintf(format, args...))
}
