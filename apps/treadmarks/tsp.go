package treadmarks

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/memory/pages"
	"github.com/activepebbles/pebbles/pebble"
)

// tsp finds shortest tours by branch and bound. Beginnings of tours wait in a heap that all ranks share, those that
// promise most first. Who takes one that is short goes on from it, under the lock; one that is long enough is
// searched by its rank alone. The best tour is shared too, under a lock of its own: its length bounds all searches.
type tsp struct {
	*run
	queue, bound *pages.Lock
	heap         *pages.Slice[tour] // from 1 on; element 0 has their number
	best         *pages.Slice[tour] // one
	lengths      []int              // of all rounds
	wrong        uint64
	looked, jobs int // beginnings that were gone on from, and those that were taken for that
}

const (
	heapMax  = 1 << 13
	tspDepth = 4       // cities of a beginning that one rank searches alone
	tspLook  = 2000000 // picoseconds that a beginning takes in simulated runs, with all that go on from it
)

func newTSP(u *run) part { return &tsp{run: u} }

func (s *tsp) load() (err error) {
	if s.queue, err = newLock(s.run, "queue"); err != nil {
		return err
	}
	if s.bound, err = newLock(s.run, "bound"); err != nil {
		return err
	}
	if s.heap, err = newSlice[tour](s.run, "beginnings", s.atRank0(heapMax)); err != nil {
		return err
	}
	s.best, err = newSlice[tour](s.run, "best", s.atRank0(1))
	return err
}

func (s *tsp) kernel() error {
	for round := range s.config.Rounds {
		c := newCities(s.config.seedOf(round), s.config.Size)
		if s.rank.ID() == 0 {
			s.best.Write(0, 1)[0] = c.first()
			s.at(0).Count = 0
			s.push(c.start())
		}
		if err := s.space.Barrier(); err != nil {
			return err
		}
		work := search{cities: c}
		for t := (tour{}); s.take(c, &t, &work.best); {
			length, looked := work.best.Length, work.looked
			work.under(t)
			s.work(work.looked-looked, tspLook)
			s.looked, s.jobs = s.looked+work.looked-looked, s.jobs+1
			if work.best.Length < length {
				s.offer(work.best)
			}
		}
		if err := s.space.Barrier(); err != nil {
			return err
		}
		best := s.best.Read(0, 1)[0]
		if !whole(c, best) {
			s.wrong++
		}
		s.lengths = append(s.lengths, int(best.Length))
		if err := s.space.Barrier(); err != nil {
			return err
		}
		s.tick(round + 1)
	}
	return nil
}

// offer has all ranks know of a tour, if it is the best one so far.
func (s *tsp) offer(t tour) {
	s.bound.Lock()
	defer s.bound.Unlock()
	if t.Length < s.best.Read(0, 1)[0].Length {
		s.best.Write(0, 1)[0] = t
	}
}

// take takes the next beginning to be searched, and the best tour so far. It reports whether there was one.
func (s *tsp) take(c *cities, t, shortest *tour) bool {
	s.queue.Lock()
	defer s.queue.Unlock()
	s.bound.Lock()
	*shortest = s.best.Read(0, 1)[0]
	s.bound.Unlock()
	best := shortest.Length
	for {
		n := s.see(0).Count
		if n == 0 {
			return false
		}
		if *t = s.pop(); t.Bound >= best {
			s.at(0).Count = 0 // the others promise less still
			return false
		}
		if t.Count >= tspDepth || t.Left == 0 || int(n)+c.n > heapMax {
			return true
		}
		for _, city := range c.near[t.Path[t.Count-1]][:c.n-1] {
			if t.Left>>city&1 == 0 {
				continue
			}
			longer := c.add(*t, city)
			if longer.Left == 0 {
				longer.Bound = c.closed(longer)
			} else {
				longer.Bound = longer.Length + c.rest(city, longer.Left, best-longer.Length)
			}
			if longer.Bound < best {
				s.push(longer)
			}
		}
		s.work(1, tspLook)
	}
}

// see opens one beginning of the heap for reading, and at for writing.
func (s *tsp) see(i int32) *tour { return &s.heap.Read(uint64(i), uint64(i)+1)[0] }
func (s *tsp) at(i int32) *tour  { return &s.heap.Write(uint64(i), uint64(i)+1)[0] }

// push adds a beginning to the heap.
func (s *tsp) push(t tour) {
	head := s.at(0)
	head.Count++
	i := head.Count
	for i > 1 {
		parent := *s.see(i / 2)
		if parent.Bound <= t.Bound {
			break
		}
		*s.at(i) = parent
		i /= 2
	}
	*s.at(i) = t
}

// pop takes the beginning of the lowest bound out of the heap, which has one.
func (s *tsp) pop() tour {
	head := s.at(0)
	top, last := *s.see(1), *s.see(head.Count)
	head.Count--
	i, n := int32(1), head.Count
	for 2*i <= n {
		child := 2 * i
		if child < n && s.see(child+1).Bound < s.see(child).Bound {
			child++
		}
		if s.see(child).Bound >= last.Bound {
			break
		}
		*s.at(i) = *s.see(child)
		i = child
	}
	if n > 0 {
		*s.at(i) = last
	}
	return top
}

// whole reports whether a tour goes through each city once, and has the length that it says.
func whole(c *cities, t tour) bool {
	seen := uint32(0)
	for _, city := range t.Path[:c.n] {
		seen |= 1 << city
	}
	return seen == 1<<c.n-1 && c.measured(t).Length == t.Length
}

func (s *tsp) judge() error {
	var want []int
	looked := 0
	if s.rank.ID() == 0 {
		// How much the twin looks at is known when it has.
		start := s.rank.Now()
		want, looked = serialTSP(s.config)
		s.work(looked, tspLook)
		s.result.Serial = (s.rank.Now() - start).Seconds()
	}
	serial, err := pebble.Broadcast(s.rank, 0, s.result.Serial)
	if err != nil {
		return err
	}
	s.result.Serial = serial
	if s.rank.ID() == 0 && !slices.Equal(want, s.lengths) {
		s.wrong++
	}
	total := 0
	for _, l := range s.lengths {
		total += l
	}
	s.result.Outcome = fmt.Sprintf("%d tours of %d cities, of length %d in all", len(s.lengths), s.config.Size, total)
	return s.result.Found(s.rank, s.wrong, "tours are none, or not the shortest")
}
