package pages

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
)

// layout cuts the elements of a slice into pages. A run is a sequence of elements that are also neighbours at their
// home; all runs except the last have the same length. Pages do not cross the end of a run.
type layout struct {
	n       uint64 // elements
	run     uint64 // elements of a run
	each    uint64 // elements of a page
	pagesOf uint64 // pages of a run
}

// runner is a distribution that reports runs of neighbours.
type runner interface{ Run(key uint64) uint64 }

// pagesMax is the largest number of pages of a slice: a write notice has pageBits for a page.
const pagesMax = 1 << pageBits

// newLayout lays out n elements of the given size over a distribution.
func newLayout(d distribution.Indexed, size, pageBytes int) (layout, error) {
	l := layout{n: d.Len(), each: max(1, uint64(pageBytes/size))}
	if l.n == 0 {
		return layout{run: 1, each: 1, pagesOf: 1}, nil
	}
	l.run = runAt(d, 0)
	for lo := l.run; lo < l.n; lo += l.run {
		if got := runAt(d, lo); got < min(l.run, l.n-lo) {
			return l, fmt.Errorf("its distribution has %d neighbours from element 0 on, and %d from element %d on: "+
				"give one of equal blocks, such as distribution.Block or distribution.BlockCyclic", l.run, got, lo)
		}
	}
	l.pagesOf = (l.run + l.each - 1) / l.each
	if pages := (l.n + l.run - 1) / l.run * l.pagesOf; pages > pagesMax {
		return l, fmt.Errorf("%d pages are more than the %d that a slice may have: give larger pages", pages, pagesMax)
	}
	return l, nil
}

// runAt returns the number of elements from lo on that are neighbours at their home. It checks distributions from
// outside this module.
func runAt(d distribution.Indexed, lo uint64) uint64 {
	if r, ok := d.(runner); ok && distribution.Proven(d) {
		return min(r.Run(lo), d.Len()-lo)
	}
	owner, local, n := d.Owner(lo), d.Local(lo), uint64(1)
	for lo+n < d.Len() && d.Owner(lo+n) == owner && d.Local(lo+n) == local+int(n) {
		n++
	}
	return n
}

// pages returns the number of pages.
func (l *layout) pages() int {
	if l.n == 0 {
		return 0
	}
	last := l.page(l.n - 1)
	return last + 1
}

// page returns the page of an element.
func (l *layout) page(i uint64) int { return int(i/l.run*l.pagesOf + i%l.run/l.each) }

// bounds returns the first element of a page, and the element after its last one.
func (l *layout) bounds(page int) (lo, hi uint64) {
	run, inRun := uint64(page)/l.pagesOf, uint64(page)%l.pagesOf
	lo = run*l.run + inRun*l.each
	return lo, min(lo+l.each, (run+1)*l.run, l.n)
}

// runOf returns the run of a page.
func (l *layout) runOf(page int) int { return int(uint64(page) / l.pagesOf) }
