package reduce

// watch estimates the merges of a cache that is off, without pebbles: it keeps the tags of one slot in 2^skip, and
// ignores the others. That sample gives the number of misses, and so the number of merges, even if most pebbles are for
// few keys: a key outside the sample misses no more often than others do. Computer architects call it set sampling.
//
// It uses keys alone. Duplicates and Best may merge fewer; then the cache switches on, fails, and rests longer.
type watch struct {
	slots slots
	tags  []uint64 // of the sampled slots, in order
	skip  uint8    // log2 of the number of slots per sampled slot
}

const (
	skipMost = 4 // one slot in 16
	// Neighbouring keys have neighbouring slots. Runs of 2^runBits slots are sampled together, so that neighbours which
	// meet in the cache meet here.
	runBits = 4
	// sampleLeast is the log2 of the smallest number of sampled slots.
	sampleLeast = 6
)

func newWatch(s slots) watch {
	skip := min(max(int(s.bits)-max(sampleLeast, runBits), 0), skipMost)
	return watch{slots: s, skip: uint8(skip), tags: resident[uint64](s.len() >> skip)}
}

// look counts the keys of pebbles that pass by.
func (w *watch) look(keys []uint64) outcome {
	slots, tags, skip := w.slots, w.tags, w.skip&63 // in registers
	missed, fills := 0, 0
	for _, key := range keys {
		slot, tag := slots.of(key)
		// A slot's number consists of block of runs, run in the block, place in the run. One run of each block is
		// sampled.
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

// renew drops all tags.
func (w *watch) renew() {
	if w.slots.renew() {
		clear(w.tags)
	}
}
