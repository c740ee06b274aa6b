package pages

import (
	"fmt"

	"github.com/activepebbles/pebbles/internal/exposed"
)

// order has pages in the order of their last use, as a list through all of them.
type order struct {
	older, newer []uint32 // by page: neighbour in the list plus 1; 0 for none
	oldest, last uint32   // in the same form
}

func newOrder(pages int) order {
	return order{older: make([]uint32, pages), newer: make([]uint32, pages)}
}

func (o *order) has(p int) bool { return o.older[p] != 0 || o.oldest == uint32(p)+1 }

// use marks page p as most recently used.
func (o *order) use(p int) {
	if o.last == uint32(p)+1 {
		return
	}
	o.drop(p)
	o.older[p] = o.last
	if o.last != 0 {
		o.newer[o.last-1] = uint32(p) + 1
	} else {
		o.oldest = uint32(p) + 1
	}
	o.last = uint32(p) + 1
}

// drop removes a page, if it is in the list.
func (o *order) drop(p int) {
	if !o.has(p) {
		return
	}
	older, newer := o.older[p], o.newer[p]
	if older != 0 {
		o.newer[older-1] = newer
	} else {
		o.oldest = newer
	}
	if newer != 0 {
		o.older[newer-1] = older
	} else {
		o.last = older
	}
	o.older[p], o.newer[p] = 0, 0
}

// twin is the content of a page before this rank's writes.
type twin struct {
	of     *region
	page   int
	before []byte
}

// forget drops the twins of a region, whose content is no longer needed. Those of others stay: their spans are open.
func (s *Space) forget(r *region) {
	kept := s.twins[:0]
	for _, t := range s.twins {
		if t.of == r {
			s.spare = append(s.spare, t.before)
		} else {
			kept = append(kept, t)
		}
	}
	clear(s.twins[len(kept):])
	s.twins = kept
}

// reserve reserves the addresses of a region's copies, before its first copy.
func (r *region) reserve(call string) {
	if r.copy != nil {
		return
	}
	bytes := int(r.n) * r.size
	b, err := exposed.Map(bytes)
	if err != nil {
		r.fail(call, fmt.Errorf("reserve addresses for copies of %d bytes: %w", bytes, err))
	}
	r.copy, r.order = b, newOrder(len(r.state))
	r.close()
}

// fail ends the job with an error of a region.
func (r *region) fail(call string, err error) {
	r.s.engine.Check() // if the job has failed, that is the cause
	r.s.engine.Fail(fmt.Errorf("pages: rank %d: %s of %s: %w", r.s.rank.ID(), call, r.name, err))
}

// makeRoom makes room for the copies of pages that have none. It drops the least recently used copies.
func (r *region) makeRoom(call string, first, last int) {
	s, needed := r.s, int64(0)
	for p := first; p <= last; p++ {
		if r.state[p]&resident == 0 {
			needed += r.pageBytes(p)
		} else {
			r.order.use(p)
		}
		r.stampOnly(p)
	}
	s.makeRoom(call, r, needed)
	for p := first; p <= last; p++ {
		r.state[p] |= resident
		r.order.use(p)
	}
	s.held += needed
}

// stampOnly keeps a page from being dropped.
func (r *region) stampOnly(p int) {
	if r.stamp[p] != r.s.now {
		r.stamp[p] = r.s.now
		r.state[p] &^= interval
	}
}

func (r *region) pageBytes(p int) int64 {
	lo, hi := r.bounds(p)
	return int64(hi-lo) * int64(r.size)
}

// makeRoom makes room for more bytes of copies and twins: it drops the least recently used copies of all regions.
func (s *Space) makeRoom(call string, r *region, needed int64) {
	if s.held+needed <= s.limit {
		return
	}
	s.held -= s.spareBytes()
	s.spare = nil
	for s.held+needed > s.limit {
		if !s.dropOldest(call) {
			r.misuse(call, "%d bytes of copies and twins of pages are open since the last acquire or release, and "+
				"%d more are needed: give the job more than %d by --page-cache, or open less at a time", s.held, needed, s.limit)
		}
	}
}

// dropOldest drops the least recently used copy, and those that share its memory pages. It returns false if all are
// open.
func (s *Space) dropOldest(call string) bool {
	var found *region
	for _, r := range s.regions {
		if r == nil || r.copy == nil || r.order.oldest == 0 {
			continue
		}
		p := int(r.order.oldest - 1)
		if r.stamp[p] == s.now {
			continue
		}
		if found == nil || int32(r.stamp[p]-found.stamp[found.order.oldest-1]) < 0 {
			found = r
		}
	}
	if found == nil {
		return false
	}
	if p := int(found.order.oldest - 1); found.state[p]&dirty != 0 {
		s.flush(call, false)
	}
	found.evict(int(found.order.oldest - 1))
	return true
}

// evict frees the memory of a page's copy, and of others that lie in the same pages of the system.
func (r *region) evict(p int) {
	lo, hi := r.span(p)
	lo, hi = lo&^(systemPage-1), min((hi+systemPage-1)&^(systemPage-1), len(r.copy))
	for q := p; q >= 0; q-- {
		_, to := r.span(q)
		if to <= lo {
			break
		}
		if !r.discard(q) {
			lo = min((to+systemPage-1)&^(systemPage-1), hi)
			break
		}
	}
	for q := p + 1; q < len(r.state); q++ {
		from, _ := r.span(q)
		if from >= hi {
			break
		}
		if !r.discard(q) {
			hi = from &^ (systemPage - 1)
			break
		}
	}
	if lo < hi {
		exposed.DropPages(r.copy[lo:hi], false)
	}
}

// span returns the range of the copy of a page.
func (r *region) span(p int) (from, to int) {
	lo, hi := r.bounds(p)
	return int(lo) * r.size, int(hi) * r.size
}

// discard drops the copy of page p. It reports false, and does nothing, if p is open.
func (r *region) discard(p int) bool {
	switch {
	case r.stamp[p] == r.s.now || r.state[p]&dirty != 0:
		return false
	case r.state[p]&resident == 0:
		return true
	}
	r.invalidate(p, 1)
	r.state[p] &^= resident
	r.order.drop(p)
	r.s.held -= r.pageBytes(p)
	r.s.counts.Evictions++
	return true
}

// systemPage is the bytes of a page of the system, the unit of freeing and protection.
var systemPage = exposed.SystemPage()

// takeTwin returns memory for a twin.
func (s *Space) takeTwin(call string, r *region, bytes int) []byte {
	for i := len(s.spare) - 1; i >= 0; i-- {
		if t := s.spare[i]; cap(t) >= bytes && cap(t) <= 2*bytes+8 {
			last := len(s.spare) - 1
			s.spare[i] = s.spare[last]
			s.spare = s.spare[:last]
			return t[:bytes]
		}
	}
	s.makeRoom(call, r, int64(bytes))
	s.held += int64(bytes)
	return make([]byte, bytes)
}

// spareBytes returns the memory of twins that are not in use.
func (s *Space) spareBytes() (bytes int64) {
	for _, t := range s.spare {
		bytes += int64(cap(t))
	}
	return bytes
}
