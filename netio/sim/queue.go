package sim

// queue holds the ranks that do not run, the one that goes on first on top. It knows where each one is, so that a frame
// that arrives can bring a rank forward.
type queue []*rank

// first is when the next rank goes on; never when none does.
func (q queue) first() instant {
	if len(q) == 0 {
		return never
	}
	return q[0].key
}

// before orders ranks by time, and those of one time by the seed.
func (r *rank) before(o *rank) bool {
	if r.key != o.key {
		return r.key < o.key
	}
	return r.tie < o.tie
}

func (q *queue) push(r *rank) {
	r.at = len(*q)
	*q = append(*q, r)
	q.up(r.at)
}

func (q *queue) pop() *rank {
	all := *q
	first, last := all[0], len(all)-1
	all[0] = all[last]
	all[0].at = 0
	all[last] = nil
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
		q.up(r.at)
	}
}

// later puts a rank off.
func (q *queue) later(r *rank, key instant) {
	if r.at >= 0 && key > r.key {
		r.key = key
		q.down(r.at)
	}
}

func (q queue) up(i int) {
	for i > 0 {
		above := (i - 1) / 2
		if !q[i].before(q[above]) {
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
			if q[below].before(q[next]) {
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
	q[i].at, q[j].at = i, j
}
