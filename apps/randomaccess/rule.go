package randomaccess

import "math/bits"

const (
	waitingMax = 1024 // limit of the updates waiting in a rank, by the benchmark's rule
	batchMost  = 256  // updates generated at a time
)

// quota is the number of updates that may wait in each place of a rank.
type quota struct {
	batch      int // under generation
	factor     int // in the buffer for each neighbour
	neighbours int // largest number of one rank
	cache      int // entries of the reduction cache
	gathered   int // by single sends, before they enter the buffers
}

// share divides the room of the rule among a rank's batch and its buffers. Single sends buffer up to one more buffer,
// within a limit. asked is the coalescing factor that the caller demands, or 0; most is the largest that may be chosen.
// A cache that leaves no room for anything else breaks the rule, so the rest need not be small.
func share(neighbours, cache, gathered, asked, most int) quota {
	q := quota{neighbours: neighbours, cache: slots(cache)}
	lanes := max(1, neighbours)
	room := waitingMax - q.cache
	if room <= neighbours {
		room = waitingMax
	}
	q.batch = batchMost
	for q.batch > 1 && (room-q.batch)/lanes < max(1, q.batch/32) {
		q.batch /= 2 // many neighbours: a long batch would leave buffers of a few updates
	}
	q.factor = asked
	if asked == 0 {
		each := (room - q.batch) / lanes
		if gathered > 0 {
			each = max((room-q.batch)/(lanes+1), min(each, (room-q.batch-gathered)/lanes))
		}
		q.factor = max(1, min(most, each))
	}
	q.gathered = max(0, min(gathered, q.factor)-1) // the last one takes the others along
	return q
}

// slots returns the actual size of a cache.
func slots(cache int) int {
	if cache == 0 {
		return 0
	}
	return 1 << bits.Len(uint(cache-1))
}

// waiting returns the largest number of updates waiting in a rank.
func (q quota) waiting() int { return q.batch + q.gathered + q.neighbours*q.factor + q.cache }
