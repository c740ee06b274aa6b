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

// tsp finds shortest tours by branch and bound. Partial tours wait in a heap that all ranks share, those with the
// lowest bound first. A rank that takes a short one extends it, under the lock; it searches a longer one alone. The
// best tour is shared too, under another lock: its length bounds all searches.
type tsp struct {
	*run
	queue, bound *pages.Lock
	heap         *pages.Slice[tour] // from 1 on; element 0 has their number
	best         *pages.Slice[tour] // of one element
	lengths      []int              // of all rounds
	wrong        uint64
	looked, jobs int // partial tours extended, and partial tours taken to search alone
}

const (
	heapMax  = 1 << 13
	tspDepth = 4       // number of cities of a partial tour that one rank searches alone
	tspLook  = 2000000 // picoseconds for extending one partial tour in simulated runs
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

// offer publishes a tour to all ranks, if it is the best one so far.
func (s *tsp) offer(t tour) {
	s.bound.Lock()
	defer s.bound.Unlock()
	if t.Length < s.best.Read(0, 1)[0].Length {
		s.best.Write(0, 1)[0] = t
	}
}

// take takes the next partial tour to search, and the best tour so far. It reports whether there was one.
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
			s.at(0).Count = 0 // the others have higher bounds still
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

// see opens one partial tour of the heap for reading, and at for writing.
func (s *tsp) see(i int32) *tour { return &s.heap.Read(uint64(i), uint64(i)+1)[0] }
func (s *tsp) at(i int32) *tour  { return &s.heap.Write(uint64(i), uint64(i)+1)[0] }

// push adds a partial tour to the heap.
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

// pop takes the partial tour with the lowest bound out of the heap, which must not be empty.
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

// whole reports whether a tour visits each city once, and has the right length.
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
		// The twin's number of steps is only known afterwards.
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

// citiesMax is the largest number of cities.
const citiesMax = 24

// cities are places on a map, the distances between them, and for each city the others in order of distance.
type cities struct {
	n        int
	distance [cityRoom][cityRoom]int32
	near     [cityRoom][cityRoom]uint8
}

// cityRoom is a power of two, for indices without bounds checks.
const cityRoom = 32

// tour is a tour, or its beginning: from city 0 through the cities of a path.
type tour struct {
	Bound  int32 // no tour with this beginning is shorter
	Length int32 // of the beginning
	Count  int32 // number of cities of the beginning
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

// seedOf returns the seed of the cities of a round.
func (c Config) seedOf(round int) uint64 { return apps.Fold(c.Seed, uint64(round)) }

// start returns the partial tour of only city 0.
func (c *cities) start() tour { return tour{Count: 1, Left: 1<<c.n - 2} }

// add returns a partial tour with one more city.
func (c *cities) add(t tour, city uint8) tour {
	t.Length += c.distance[t.Path[t.Count-1]][city]
	t.Path[t.Count] = city
	t.Count++
	t.Left &^= 1 << city
	return t
}

// closed returns the length of a tour back to city 0.
func (c *cities) closed(t tour) int32 { return t.Length + c.distance[t.Path[t.Count-1]][0] }

// first returns a first tour: it always goes on to the nearest city. Then parts are reversed while that shortens it,
// which removes crossings.
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

// measured returns a whole tour with its length, back to city 0.
func (c *cities) measured(t tour) tour {
	t.Length = 0
	for i := range c.n {
		t.Length += c.distance[t.Path[i]][t.Path[(i+1)%c.n]]
	}
	return t
}

// rest returns a lower bound of the rest of a tour from a city through the cities left: a minimum spanning tree of
// these, and a link to each end. If the bound is room or more, it may return less than the full bound.
func (c *cities) rest(from uint8, left uint32, room int32) int32 {
	var link [cityRoom]int32 // to the tree, by place in the list
	var list [cityRoom]uint8 // cities outside the tree
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

// search is a depth-first search for the shortest tour.
type search struct {
	*cities
	best   tour
	looked int // number of partial tours extended
	path   [cityRoom]uint8
}

// under looks for a tour that begins like t and is shorter than the best one.
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
			return // the others are farther
		}
		if s.rest(city, left&^(1<<city), room) < room {
			s.path[count%cityRoom] = city
			s.deeper(count+1, left&^(1<<city), l)
		}
	}
}

// SerialTSP is TSP without a job. It returns the length of the shortest tour of each round.
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
