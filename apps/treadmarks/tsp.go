package treadmarks

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/activepebbles/pebbles/apps"
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
	s.queue = newLock(s.run, "queue")
	s.bound = newLock(s.run, "bound")
	s.heap = newSlice[tour](s.run, "beginnings", s.atRank0(heapMax))
	s.best = newSlice[tour](s.run, "best", s.atRank0(1))
	return nil
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

// citiesMax is how many cities there are at most.
const citiesMax = 24

// cities are places on a map, the distances between them, and which are near to each: those in order of distance.
type cities struct {
	n        int
	distance [cityRoom][cityRoom]int32
	near     [cityRoom][cityRoom]uint8
}

// cityRoom is a power of two, for indices that need no check.
const cityRoom = 32

// tour is a tour, or its beginning: from city 0 through the cities of a path.
type tour struct {
	Bound  int32 // no tour that begins like this is shorter
	Length int32 // of the beginning
	Count  int32 // cities of the beginning
	Left   uint32
	Path   [citiesMax]uint8
}

// newCities draws cities.
func newCities(seed uint64, n int) *cities {
	c := &cities{n: n}
	var x, y [cityRoom]float64
	for i := range n {
		x[i], y[i] = 1000*number(seed, uint64(2*i)), 1000*number(seed, uint64(2*i+1))
	}
	for i := range n {
		for j := range n {
			c.distance[i][j] = int32(math.Round(math.Hypot(x[i]-x[j], y[i]-y[j])))
		}
		for j, k := 0, 0; j < n; j++ {
			if j == i {
				continue
			}
			at := k
			for ; at > 0 && c.distance[i][c.near[i][at-1]] > c.distance[i][j]; at-- {
				c.near[i][at] = c.near[i][at-1]
			}
			c.near[i][at] = uint8(j)
			k++
		}
	}
	return c
}

// seedOf is the seed of the cities of a round.
func (c Config) seedOf(round int) uint64 { return apps.Fold(c.Seed, uint64(round)) }

// start is the beginning that is city 0 alone.
func (c *cities) start() tour { return tour{Count: 1, Left: 1<<c.n - 2} }

// add is a beginning with one city more.
func (c *cities) add(t tour, city uint8) tour {
	t.Length += c.distance[t.Path[t.Count-1]][city]
	t.Path[t.Count] = city
	t.Count++
	t.Left &^= 1 << city
	return t
}

// closed is the length of a tour back to city 0.
func (c *cities) closed(t tour) int32 { return t.Length + c.distance[t.Path[t.Count-1]][0] }

// first is a tour to begin with: always on to the nearest city, then without crossings: parts are turned round
// while that makes it shorter.
func (c *cities) first() tour {
	t := c.start()
	for t.Left != 0 {
		for _, city := range c.near[t.Path[t.Count-1]][:c.n-1] {
			if t.Left>>city&1 != 0 {
				t = c.add(t, city)
				break
			}
		}
	}
	for again := true; again; {
		again = false
		for i := 1; i < c.n-1; i++ {
			for j := i + 1; j < c.n; j++ {
				a, b, p, q := t.Path[i-1], t.Path[i], t.Path[j], t.Path[(j+1)%c.n]
				if c.distance[a][p]+c.distance[b][q] < c.distance[a][b]+c.distance[p][q] {
					for l, r := i, j; l < r; l, r = l+1, r-1 {
						t.Path[l], t.Path[r] = t.Path[r], t.Path[l]
					}
					again = true
				}
			}
		}
	}
	return c.measured(t)
}

// measured is a whole tour with its length, back to city 0.
func (c *cities) measured(t tour) tour {
	t.Length = 0
	for i := range c.n {
		t.Length += c.distance[t.Path[i]][t.Path[(i+1)%c.n]]
	}
	return t
}

// rest is what a tour that goes on from a city through those that are left takes at least: a shortest tree of
// those, and a link to each end. It may be told less when it is room or more.
func (c *cities) rest(from uint8, left uint32, room int32) int32 {
	var link [cityRoom]int32 // to the tree, by place in the list
	var list [cityRoom]uint8 // cities that are not in it
	first := bits.TrailingZeros32(left) % cityRoom
	toFrom, toStart, toFirst := &c.distance[from%cityRoom], &c.distance[0], &c.distance[first]
	a, b := toFrom[first], toStart[first]
	n := 0
	for more := left & (left - 1); more != 0; more &= more - 1 {
		city := bits.TrailingZeros32(more) % cityRoom
		a, b = min(a, toFrom[city]), min(b, toStart[city])
		list[n%cityRoom], link[n%cityRoom] = uint8(city), toFirst[city]
		n++
	}
	total := a + b
	for n > 0 && total < room {
		at := 0
		for i := 1; i < n; i++ {
			if link[i%cityRoom] < link[at%cityRoom] {
				at = i
			}
		}
		total += link[at%cityRoom]
		to := &c.distance[list[at%cityRoom]%cityRoom]
		n--
		list[at%cityRoom], link[at%cityRoom] = list[n%cityRoom], link[n%cityRoom]
		for i := range n {
			link[i%cityRoom] = min(link[i%cityRoom], to[list[i%cityRoom]%cityRoom])
		}
	}
	return total
}

// search is a search for the shortest tour, in depth.
type search struct {
	*cities
	best   tour
	looked int // beginnings that were gone on from
	path   [cityRoom]uint8
}

// under looks for a shorter tour than the best one among those that begin like t.
func (s *search) under(t tour) {
	if t.Left == 0 {
		if length := s.closed(t); length < s.best.Length {
			t.Length = length
			s.best = t
		}
		return
	}
	copy(s.path[:], t.Path[:])
	s.deeper(int(t.Count), t.Left, t.Length)
}

func (s *search) deeper(count int, left uint32, length int32) {
	s.looked++
	last := s.path[(count-1)%cityRoom] % cityRoom
	from := &s.distance[last]
	if left&(left-1) == 0 {
		city := uint8(bits.TrailingZeros32(left)) % cityRoom
		if length += from[city] + s.distance[city][0]; length < s.best.Length {
			s.path[count%cityRoom] = city
			s.best.Length, s.best.Count, s.best.Left = length, int32(s.n), 0
			copy(s.best.Path[:], s.path[:s.n])
		}
		return
	}
	for _, city := range s.near[last][:s.n-1] {
		if left>>city&1 == 0 {
			continue
		}
		l := length + from[city%cityRoom]
		room := s.best.Length - l
		if room <= 0 {
			return // the others are farther off
		}
		if s.rest(city, left&^(1<<city), room) < room {
			s.path[count%cityRoom] = city
			s.deeper(count+1, left&^(1<<city), l)
		}
	}
}

// SerialTSP is TSP without a job: the lengths of the shortest tours, one of each round.
func SerialTSP(c Config) []int {
	lengths, _ := serialTSP(TSP.withDefaults(c))
	return lengths
}

func serialTSP(c Config) (lengths []int, looked int) {
	for round := range c.Rounds {
		s := search{cities: newCities(c.seedOf(round), c.Size)}
		s.best = s.first()
		s.under(s.start())
		lengths = append(lengths, int(s.best.Length))
		looked += s.looked
	}
	return lengths, looked
}
