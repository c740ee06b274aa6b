package pages

import (
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/activepebbles/pebbles/internal/exposed"
)

// In a checked space the processor protects copies, in pages of the system: an element that no span has opened can't be
// accessed, and an element opened by Read alone can't be written. If several pages share one of the system's, the
// widest access of them applies. The panic of Go's runtime has the address of the access.

// protect sets the protection of pages to the access of open spans.
func (r *region) protect(first, last int) {
	debug.SetPanicOnFault(true) // for this goroutine, of a rank or a task
	from, _ := r.span(first)
	_, to := r.span(last)
	for lo := from &^ (systemPage - 1); lo < to; lo += systemPage {
		r.allow(lo, min(lo+systemPage, len(r.copy)))
	}
}

// allow sets the protection of a page of the system to the access that the spans on it need.
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

// protectAll sets the protection of all copies to the access of open spans.
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

// close forbids all access to copies.
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

// stray describes the fault at an address, if it is in a copy of this space.
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
		return fmt.Sprintf("rank %d has accessed element %d of %s, which is in no open span: open one by Read or "+
			"Write, again after each acquire, release and barrier", s.rank.ID(), i, r.name)
	}
	return ""
}
