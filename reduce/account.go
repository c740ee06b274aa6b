package reduce

import "fmt"

// account decides whether a cache is worth its cost: a cache pays when h·G > c (Active
// Pebbles, section 3.5), where h is the fraction of pebbles that it merges, G the cost
// of carrying a pebble on, and c that of a look into the cache. Each pebble
// that goes through spends what a look costs, each merged one earns more. When all is
// spent the cache goes off; after a while it is given a little for a trial. So a cache
// never loses more than it has earned before and what its trials get, and there is no
// window of pebbles to fall into step with the program.
//
// A pebble that fills a slot says nothing: the cache is only warming up. But where every
// epoch's end empties it, warming up is all that it may ever do. So a trial has each
// slot filled for nothing once, and once more after its first Clear, so that it sees a
// whole epoch; later fills spend.
type account struct {
	slots  int
	fixed  bool // always on
	earns  int  // what a merged pebble earns
	credit int  // what is left
	free   int  // fills that don't spend yet
	spare  int  // free ones to come with the next Clear
	seen   int  // pebbles since it is on
	merged int  // of these
	rest   int  // pebbles that pass by before the next trial; 0 when on
	factor int  // how much longer than the failed trial the rest is
	tries  uint64
	off    uint64 // pebbles that passed by
}

const (
	// costs is what a look costs, and earns what a merged pebble earns until somebody says better (see Price): a cache then
	// stays on from two fifths of merged pebbles on. That is a compromise for c and G that the cache can't see. At 2^16 slots
	// of 16 bytes c was 5 ns for Duplicates where nearly all or no pebbles merge and 11 ns between, for the processor can't
	// foresee which will; Combine took 9 and 15 ns. G is some 15 to 35 ns between ranks of one process, handler included, and
	// more over a network or several hops.
	costs, earns = 64, 160
	// earnsMax bounds what a merged pebble earns.
	earnsMax = 64 * costs
	// trial is how many looks a trial begins with the credit for. As many pebbles that
	// replace others tell a fraction of two fifths from one of a quarter with a probability
	// far above 99 %.
	trial = 256
	// factorMax bounds the rest: trials that fail see less than 1 of 128 pebbles.
	factorMax = 128
)

func newAccount(slots int) account {
	a := account{slots: slots, factor: 1, earns: earns}
	a.begin()
	return a
}

// begin begins a trial.
func (a *account) begin() {
	a.credit, a.free, a.spare = costs*trial, a.slots, a.slots
	a.seen, a.merged = 0, 0
}

// cleared follows a Clear.
func (a *account) cleared() {
	a.free += a.spare
	a.spare = 0
}

// book counts seen pebbles that went through the cache.
func (a *account) book(seen int, o outcome) {
	if a.fixed || a.rest > 0 {
		return
	}
	a.seen += seen
	a.merged += o.merged
	free := min(o.fills, a.free)
	a.free -= free
	// The bound keeps a long good time from paying for a long bad one. It lets every slot
	// be filled twice.
	a.credit = min(a.credit+a.earns*o.merged-costs*(seen-free), costs*a.longest())
	if a.credit < 0 {
		a.close()
	}
}

// close switches off. A time that was worth it at the end counts as no failed trial; the
// next one comes soon.
func (a *account) close() {
	a.factor = min(2*a.factor, factorMax)
	if a.earns*a.merged >= costs*a.seen {
		a.factor = 1
	}
	a.rest = a.factor * min(a.seen, a.longest())
}

// longest is how many pebbles a trial can take without a batch's last ones: each slot
// filled twice, and the trial's credit spent.
func (a *account) longest() int { return 2*a.slots + trial }

// pass lets n pebbles pass by, and tells whether a trial begins behind them.
func (a *account) pass(n int) (begins bool) {
	if n < 0 {
		panic(fmt.Sprintf("reduce: whether a cache is worth it for %d pebbles; give 0 or more", n))
	}
	a.off += uint64(n)
	a.rest = max(0, a.rest-n)
	if a.rest > 0 {
		return false
	}
	a.tries++
	a.begin()
	return true
}
