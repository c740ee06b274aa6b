package pages

import (
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/exposed"
)

// In a checked space copies are protected by the processor, in pages of the system: what no span has opened can't be
// accessed, and what Read has opened can't be written. Where several pages share one of the system's, it allows what
// any of them does. The panic of Go's runtime has the address, which says what was accessed.

// protect has the processor allow what spans that are open allow.
func (r *region) protect(first, last int) {
	debug.SetPanicOnFault(true) // of this goroutine, of a rank or a task
	from, _ := r.span(first)
	_, to := r.span(last)
	for lo := from &^ (systemPage - 1); lo < to; lo += systemPage {
		r.allow(lo, min(lo+systemPage, len(r.copy)))
	}
}

// allow sets the protection of a page of the system to what the spans on it need.
func (r *region) allow(lo, hi int) {
	access := exposed.NoAccess
	for p := r.page(uint64(lo / r.size)); p < len(r.state); p++ {
		from, to := r.span(p)
		if from >= hi {
			break
		}
		switch {
		case to <= lo:
		case r.opened(p, writing):
			access = exposed.ReadWrite
		case r.opened(p, reading) && access == exposed.NoAccess:
			access = exposed.ReadOnly
		}
	}
	r.set(lo, hi, access)
}

// unprotect lets the runtime fill copies of elements.
func (r *region) unprotect(lo, hi uint64) {
	if r.s.config.Checked {
		from := int(lo) * r.size &^ (systemPage - 1)
		r.set(from, min((int(hi)*r.size+systemPage-1)&^(systemPage-1), len(r.copy)), exposed.ReadWrite)
	}
}

// protectAll has the processor allow what open spans allow, and nothing else.
func (s *Space) protectAll() {
	if !s.config.Checked {
		return
	}
	for _, r := range s.regions {
		if r != nil && r.copy != nil {
			r.close()
			for p := range r.state {
				if r.opened(p, interval) {
					r.protect(p, p)
				}
			}
		}
	}
}

// close has the processor allow nothing.
func (r *region) close() {
	if r.s.config.Checked && len(r.copy) > 0 {
		r.set(0, len(r.copy), exposed.NoAccess)
	}
}

func (r *region) set(lo, hi int, a exposed.Protection) {
	if err := exposed.Protect(r.copy[lo:hi], a); err != nil {
		r.fail("Checked", fmt.Errorf("protect copies: %w", err))
	}
}

// stray says in words what a fault at an address is, where it is in a copy of this space.
func (s *Space) stray(address uintptr) string {
	for _, r := range s.regions {
		if r == nil || r.copy == nil {
			continue
		}
		at := address - uintptr(unsafe.Pointer(unsafe.SliceData(r.copy)))
		if at >= uintptr(len(r.copy)) {
			continue
		}
		i := uint64(at) / uint64(r.size)
		if r.opened(r.page(i), reading) {
			return fmt.Sprintf("rank %d has written to element %d of %s, which a span of Read has: open it by Write",
				s.rank.ID(), i, r.name)
		}
		return fmt.Sprintf("rank %d has accessed element %d of %s, which no span has that is open: open it by "+
			"Read or Write, after each acquire, release and barrier anew", s.rank.ID(), i, r.name)
	}
	return ""
}
