package stressmark

// chase is one chain of hops.
type chase struct {
	start     uint64
	stop, end uint64 // the indices that end it: from stop to end-1
}

// Trace is how a chase went.
type Trace struct {
	Hops, Index uint64 // how many, and where it was then
	Ended       bool   // it came to where it stops
}

// chaseOf is the chase of a rank.
func (c PointerConfig) chaseOf(rank int) chase {
	stop := draw(c.Seed, forStops, uint64(rank), c.starts()-c.Stop+1)
	return chase{draw(c.Seed, forStarts, uint64(rank), c.starts()), stop, stop + c.Stop}
}

// word is a word of the array before the run.
func (c PointerConfig) word(i uint64) uint64 { return draw(c.Seed, forWords, i, c.starts()) }

// follow goes a chase: read reads a window, and write, when not nil, writes a word.
func (c PointerConfig) follow(h chase, read func(at uint64, window []uint64), write func(at, word uint64), tick func(hops uint64)) (t Trace) {
	window := make([]uint64, c.Window)
	for t.Index = h.start; ; t.Hops++ {
		if t.Ended = h.stop <= t.Index && t.Index < h.end; t.Ended || t.Hops == c.Hops {
			return t
		}
		read(t.Index, window)
		if write != nil {
			sum := uint64(0)
			for _, w := range window {
				sum += w
			}
			write(t.Index, sum%c.starts())
		}
		t.Index = (median(window) + t.Hops) % c.starts()
		if tick != nil {
			tick(t.Hops + 1)
		}
	}
}

// median finds the middle one of an odd number of words, which it sorts: they are few.
func median(words []uint64) uint64 {
	for i := 1; i < len(words); i++ {
		for j := i; j > 0 && words[j] < words[j-1]; j-- {
			words[j], words[j-1] = words[j-1], words[j]
		}
	}
	return words[len(words)/2]
}
