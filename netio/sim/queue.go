package sim

// queue is a heap of the ranks that do not run, ordered by the time at which they go on. It knows each rank's seat, so that an
// arriving frame can bring the rank forward. It never reads a rank: with many ranks each read is a cache miss. For the same reason
// it is a heap of four branches: the tree is half as high, and the four lie side by side.
type queue struct {
	seats []seat
	place []int32 // by rank: its seat; -1 when it has none
}

// seat is a rank's place in the queue. Ranks of one moment are in order of their ties.
type seat struct {
	key instant
	tie uint64 // drawn by seed, the number of the rank in its lower half
}

const below = 4 // seats under one

func newQueue(ranks int) queue {
	q := queue{place: make([]int32, ranks)}
	for rank := range q.place {
		q.place[rank] = -1
	}
	return q
}

// tie orders the ranks of one moment.
func tie(seed uint64, rank int) uint64 {
	return mix(seed, uint64(rank))>>32<<32 | uint64(rank)
}

func (s seat) rank() int { return int(uint32(s.tie)) }

func (s seat) before(o seat) bool { return s.key < o.key || s.key == o.key && s.tie < o.tie }

// first is when the next rank goes on; never if there is none.
func (q *queue) first() instant {
	if len(q.seats) == 0 {
		return never
	}
	return q.seats[0].key
}

func (q *queue) push(key instant, tie uint64) {
	q.seats = append(q.seats, seat{})
	q.up(len(q.seats)-1, seat{key, tie})
}

// pop removes and returns the first rank; the queue must not be empty.
func (q *queue) pop() (rank int, key instant) {
	first, end := q.seats[0], len(q.seats)-1
	last := q.seats[end]
	q.seats = q.seats[:end]
	if end > 0 {
		q.down(0, last)
	}
	q.place[first.rank()] = -1
	return first.rank(), first.key
}

// sooner brings a rank forward.
func (q *queue) sooner(rank int, key instant) {
	if i := q.place[rank]; i >= 0 && key < q.seats[i].key {
		q.up(int(i), seat{key, q.seats[i].tie})
	}
}

// later puts a rank off.
func (q *queue) later(rank int, key instant) {
	if i := q.place[rank]; i >= 0 && key > q.seats[i].key {
		q.down(int(i), seat{key, q.seats[i].tie})
	}
}

// up places a seat at i or above, and moves those it passes down.
func (q *queue) up(i int, s seat) {
	for i > 0 {
		above := (i - 1) / below
		if !s.before(q.seats[above]) {
			break
		}
		q.sit(i, q.seats[above])
		i = above
	}
	q.sit(i, s)
}

// down places a seat at i or below, and moves those it passes up.
func (q *queue) down(i int, s seat) {
	for {
		next := below*i + 1
		if next >= len(q.seats) {
			break
		}
		for other := next + 1; other < min(below*i+1+below, len(q.seats)); other++ {
			if q.seats[other].before(q.seats[next]) {
				next = other
			}
		}
		if !q.seats[next].before(s) {
			break
		}
		q.sit(i, q.seats[next])
		i = next
	}
	q.sit(i, s)
}

func (q *queue) sit(i int, s seat) {
	q.seats[i] = s
	q.place[s.rank()] = int32(i)
}
