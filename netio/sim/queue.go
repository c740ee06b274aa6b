package sim

// queue holds the ranks that do not run, the one that goes on first on top. It knows where each one is, so that a frame
// that arrives can bring a rank forward. What it compares lies in the queue itself: with many ranks, to look at each would cost a
// cache miss.
type queue []seat

// seat is a rank's place in the queue. Ranks of one moment are ordered by the seed.
type seat struct {
	key  instant
	tie  uint64
	rank *rank
}

func (s *seat) before(o *seat) bool { return s.key < o.key || s.key == o.key && s.tie < o.tie }

// first is when the next rank goes on; never when none does.
func (q queue) first() instant {
	if len(q) == 0 {
		return never
	}
	return q[0].key
}

func (q *queue) push(r *rank) {
	r.at = len(*q)
	*q = append(*q, seat{r.key, r.tie, r})
	q.up(r.at)
}

func (q *queue) pop() *rank {
	all := *q
	first, last := all[0].rank, len(all)-1
	all[0] = all[last]
	all[0].rank.at = 0
	all[last] = seat{}
	*q = all[:last]
	if last > 0 {
		q.down(0)
	}
	first.at = -1
	return first
}

// sooner brings a rank forward.
func (q *queue) sooner(r *rank, key instant) {
	if r.at >= 0 && key < r.key {
		r.key = key
		(*q)[r.at].key = key
		q.up(r.at)
	}
}

// later puts a rank off.
func (q *queue) later(r *rank, key instant) {
	if r.at >= 0 && key > r.key {
		r.key = key
		(*q)[r.at].key = key
		q.down(r.at)
	}
}

func (q queue) up(i int) {
	for i > 0 {
		above := (i - 1) / 2
		if !q[i].before(&q[above]) {
			return
		}
		q.swap(i, above)
		i = above
	}
}

func (q queue) down(i int) {
	for {
		next := i
		for below := 2*i + 1; below <= 2*i+2 && below < len(q); below++ {
			if q[below].before(&q[next]) {
				next = below
			}
		}
		if next == i {
			return
		}
		q.swap(i, next)
		i = next
	}
}

func (q queue) swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].rank.at, q[j].rank.at = i, j
}
