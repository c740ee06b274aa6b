package pebble

import "fmt"

// depthMax bounds a declared depth: a frame carries the depth of its pebbles in 8 bits.
const depthMax = 255

// Depth declares the longest chain of pebbles of an epoch: 1 when no handler sends, 2 when the handlers of pebbles that the
// main function sent may send, and so on (Active Pebbles, section 3.6.1). It lets the epoch end by a cheaper detector. All
// ranks declare the same. A handler that sends beyond it ends the job with a [DepthError].
//
// From 2 on, pebbles of different depths travel in different frames, which costs coalescing: declare it where epochs are
// short.
func Depth(n int) EpochOption { return func(p *epochPlan) { p.depth, p.declared = n, true } }

// DepthError is the error of a job in which a handler sent a pebble in a chain that is longer than its epoch's declared
// depth.
type DepthError struct {
	Rank   int
	Target string // whose handler sent
	Depth  int    // as declared
}

func (e *DepthError) Error() string {
	return fmt.Sprintf("rank %d: the handler of target %q sends a pebble that is number %d of its chain, and the epoch declares depth %d: "+
		"declare a larger depth, or none", e.Rank, e.Target, e.Depth+1, e.Depth)
}

// tooDeep ends the job: the handler that runs has sent beyond the declared depth.
func (r *Rank) tooDeep() {
	r.fail(&DepthError{Rank: r.id, Target: r.handling.name, Depth: r.limit})
}

// ThisDepth is the depth of the pebbles that are being handled, 0 in the main function.
func (d *Door) ThisDepth() uint8 { return uint8(d.depth) }

// NextDepth is the depth of the pebbles that are sent now.
func (d *Door) NextDepth() uint8 { return uint8(d.depth + 1) }

// Handling marks that the pebbles handled from here on are of this depth. Handled takes it back.
func (d *Door) Handling(depth uint8) { d.depth = int(depth) }

// Deep tells whether pebbles of different depths must travel apart in this epoch.
func (d *Door) Deep() bool { return d.limit > 1 }
