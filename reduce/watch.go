package reduce

// watch follows what a cache that is off would merge, without a pebble: it keeps the tags that one slot in
// 2^skip would have, and looks at no other. That part says how many pebbles would have missed, and so how many
// would have merged, however few keys most pebbles are for: a key in a slot that is not looked at misses no
// more often than others do. Computer architects call it set sampling.
//
// It goes by keys alone. Duplicates and Best may merge fewer; then the cache switches on, fails, and
// rests longer.
type watch struct {
	slots slots
	tags  []uint64 // of the slots that are looked at, in order
	skip  uint8    // log2 of how many slots there are for one that is looked at
}

const (
	skipMost = 4 // one slot in 16
	// Neighbouring keys have neighbouring slots. Runs of 2^runBits slots are looked at together, so that
	// neighbours which meet in the cache meet here.
	runBits = 4
	// sampleLeast is the log2 of the slots that are looked at in the least.
	sampleLeast = 6
)

func newWatch(s slots) watch {
	skip := min(max(int(s.bits)-max(sampleLeast, runBits), 0), skipMost)
	return watch{slots: s, skip: uint8(skip), tags: resident[uint64](s.len() >> skip)}
}

// look looks at the keys of pebbles that pass by.
func (w *watch) look(keys []uint64) outcome {
	slots, tags, skip := w.slots, w.tags, w.skip&63 // in registers
	missed, fills := 0, 0
	for _, key := range keys {
		slot, tag := slots.of(key)
		// A slot's number is: block of runs, run of the block, place in the run. Of each block one run is looked at.
		run := slot >> runBits
		block := run >> skip
		if run != block<<skip|block*spread>>1>>(63-skip) {
			continue
		}
		i := block<<runBits | slot&(1<<runBits-1)
		if old := tags[i]; old != tag {
			fills += one(slots.past(old))
			tags[i] = tag
			missed++
		}
	}
	missed, fills = missed<<skip, fills<<skip
	return outcome{out: missed, merged: len(keys) - missed, fills: fills}
}

// renew forgets all.
func (w *watch) renew() {
	if w.slots.renew() {
		clear(w.tags)
	}
}
