package sim

// queue is a heap of the ranks that do not run, ordered by the time at which they continue. It holds each rank's index,
// so that an arriving frame can bring the rank forward. It never reads a rank: with many ranks, each read is a cache
// miss. For the same reason it is a 4-ary heap: the tree is half as high, and four siblings share a cache line.
type queue struct {
	entries []entry
	index   []int32 // index of a rank's entry; -1 if it has none
}

// entry is a rank in the queue. Simultaneous ranks are in the order of their ties.
type entry struct {
	key instant
	tie uint64 // drawn by seed; the rank's number in its lower half
}

const branches = 4

func newQueue(ranks int) queue {
	q := queue{index: make([]int32, ranks)}
	for rank := range q.index {
		q.index[rank] = -1
	}
	return q
}

// tie returns the order of a rank among simultaneous ones.
func tie(seed uint64, rank int) uint64 {
	return mix(seed, uint64(rank))>>32<<32 | uint64(rank)
}

func (e entry) rank() int { return int(uint32(e.tie)) }

func (e entry) before(o entry) bool { return e.key < o.key || e.key == o.key && e.tie < o.tie }

// first returns the time at which the next rank continues, or never.
func (q *queue) first() instant {
	if len(q.entries) == 0 {
		return never
	}
	return q.entries[0].key
}

func (q *queue) push(key instant, tie uint64) {
	q.entries = append(q.entries, entry{})
	q.up(len(q.entries)-1, entry{key, tie})
}

// pop removes and returns the first rank. The queue must not be empty.
func (q *queue) pop() (rank int, key instant) {
	first, end := q.entries[0], len(q.entries)-1
	last := q.entries[end]
	q.entries = q.entries[:end]
	if end > 0 {
		q.down(0, last)
	}
	q.index[first.rank()] = -1
	return first.rank(), first.key
}

// sooner brings a rank forward.
func (q *queue) sooner(rank int, key instant) {
	if i := q.index[rank]; i >= 0 && key < q.entries[i].key {
		q.up(int(i), entry{key, q.entries[i].tie})
	}
}

// later postpones a rank.
func (q *queue) later(rank int, key instant) {
	if i := q.index[rank]; i >= 0 && key > q.entries[i].key {
		q.down(int(i), entry{key, q.entries[i].tie})
	}
}

// up places an entry at i or above. It moves the entries that it passes down.
func (q *queue) up(i int, e entry) {
	for i > 0 {
		above := (i - 1) / branches
		if !e.before(q.entries[above]) {
			break
		}
		q.set(i, q.entries[above])
		i = above
	}
	q.set(i, e)
}

// down places an entry at i or below. It moves the entries that it passes up.
func (q *queue) down(i int, e entry) {
	for {
		next := branches*i + 1
		if next >= len(q.entries) {
			break
		}
		for other := next + 1; other < min(branches*i+1+branches, len(q.entries)); other++ {
			if q.entries[other].before(q.entries[next]) {
				next = other
			}
		}
		if !q.entries[next].before(e) {
			break
		}
		q.set(i, q.entries[next])
		i = next
	}
	q.set(i, e)
}

func (q *queue) set(i int, e entry) {
	q.entries[i] = e
	q.index[e.rank()] = int32(i)
}
