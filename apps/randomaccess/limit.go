package randomaccess

import "math/bits"

const (
	waitingMax = 1024 // updates that may wait in a rank by the benchmark's rule
	batchMost  = 256  // updates that are generated at a time
)

// quota says how many updates may wait in each place of a rank.
type quota struct {
	batch      int // being generated
	factor     int // in the buffer for each neighbour
	neighbours int // the most that one rank has
	cache      int // entries of the reduction cache
}

// share divides the room of the rule among a rank's batch and its buffers. Asked is the coalescing factor that the
// caller insists on, 0 for none; most is the largest that may be chosen. A cache that leaves no room for anything else
// breaks the rule, so that the rest need not be small.
func share(neighbours, cache, asked, most int) quota {
	q := quota{neighbours: neighbours, cache: slots(cache)}
	room := waitingMax - q.cache
	if room <= neighbours {
		room = waitingMax
	}
	q.batch = batchMost
	for q.batch > 1 && (room-q.batch)/max(1, neighbours) < max(1, q.batch/32) {
		q.batch /= 2 // many neighbours: a long batch would leave buffers of a few updates
	}
	q.factor = asked
	if asked == 0 {
		q.factor = max(1, min(most, (room-q.batch)/max(1, neighbours)))
	}
	return q
}

// slots is the size that a cache really has.
func slots(cache int) int {
	if cache == 0 {
		return 0
	}
	return 1 << bits.Len(uint(cache-1))
}

// waiting is how many updates may wait in a rank at one time.
func (q quota) waiting() int { return q.batch + q.neighbours*q.factor + q.cache }

func (q quota) kept() bool { return q.waiting() <= waitingMax }
