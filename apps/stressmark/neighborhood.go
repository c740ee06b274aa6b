package stressmark

import (
	"fmt"
	"math"
	"sort"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// NeighborhoodResult is the report of a run of Neighborhood.
type NeighborhoodResult struct {
	Report
	Side           int       `json:"side"`
	Bits           int       `json:"bits"`
	Pairs          uint64    `json:"pairs"` // of pixels, in all directions
	PairsPerSecond float64   `json:"pairs_per_second"`
	Textures       []Texture `json:"textures"`
}

// Rows returns labels and values of the result for display.
func (r NeighborhoodResult) Rows() [][2]string {
	rows := [][2]string{
		{"pairs", fmt.Sprintf("%d, in an image of %d × %d pixels of %d bits", r.Pairs, r.Side, r.Side, r.Bits)},
		{"pairs per second", fmt.Sprintf("%.2f million", r.PairsPerSecond/1e6)},
		r.accesses(),
	}
	for _, t := range r.Textures {
		rows = append(rows, [2]string{fmt.Sprintf("%d pixels, %d°", t.Distance, t.Degrees),
			fmt.Sprintf("sums: entropy %.4f, energy %.4g; differences: entropy %.4f, energy %.4g",
				t.SumEntropy, t.SumEnergy, t.DifferenceEntropy, t.DifferenceEnergy)})
	}
	return rows
}

// Neighborhood runs the Neighborhood Stressmark on a job, as described in package apps. The image lies in blocks on the
// ranks, row after row; a rank processes its pixels row by row, and reads pixels beyond its part. Pairs are counted by
// sum and difference, at two distances and four angles. The result's Errors include wrong counts and wrong pixels.
func Neighborhood(r *pebble.Rank, c NeighborhoodConfig) (result NeighborhoodResult, err error) {
	if err := c.Check(r.Size()); err != nil {
		return result, err
	}
	n := newNeighborhood(r, c.withDefaults())
	result = NeighborhoodResult{Report: newReport(r, "neighborhood", c.Seed), Side: n.config.Side, Bits: n.config.Bits}
	err = result.run(n.space, n.phases(&result))
	return result, err
}

func (n *neighborhood) phases(result *NeighborhoodResult) apps.Phases {
	return apps.Phases{
		Load: n.load, Kernel: n.kernel,
		Sum: func() error {
			for i, h := range n.total {
				t := h.texture(n.ways[i])
				result.Textures = append(result.Textures, t)
				result.Pairs += t.Pairs
			}
			result.PairsPerSecond = apps.Rate(float64(result.Pairs), result.Seconds)
			return nil
		},
		Verify: func() error { return n.judge(result) },
		Free:   func() error { return n.image.Free() },
	}
}

// neighborhood is one rank's part of a run.
type neighborhood struct {
	rank   *pebble.Rank
	config NeighborhoodConfig
	space  *memory.Space
	ways   []way
	image  *memory.Array[uint16]
	lo, hi int         // this rank's pixels
	own    []histogram // of this rank's pairs, by way
	total  []histogram // of all ranks
}

func newNeighborhood(r *pebble.Rank, c NeighborhoodConfig) *neighborhood {
	n := &neighborhood{rank: r, config: c, space: memory.New(r), ways: c.ways()}
	n.own, n.total = n.histograms(), n.histograms()
	return n
}

func (n *neighborhood) histograms() (all []histogram) {
	for range n.ways {
		all = append(all, newHistogram(n.config.Bits))
	}
	return all
}

// load draws this rank's part of the image.
func (n *neighborhood) load() (err error) {
	side := uint64(n.config.Side)
	d := distribution.Block(side*side, n.rank.Size())
	need := 2*2*(side*side/uint64(n.rank.Size())+2*side) + 2*side*uint64(n.config.Long) // with the verifier's rows
	if err := apps.MustFit(n.rank, "stressmark: the image", need, "give a smaller side"); err != nil {
		return err
	}
	n.image = memory.NewArray[uint16](n.space, "image", d)
	if pixels := len(n.image.Local()); pixels > 0 {
		n.lo = int(d.Key(n.rank.ID(), 0))
		n.hi = n.lo + pixels
		first, last := n.rows()
		rows := n.config.draw(first, last)
		copy(n.image.Local(), rows[n.lo-first*n.config.Side:])
	}
	return nil
}

// rows returns the rows with pixels of this rank: first to last-1.
func (n *neighborhood) rows() (first, last int) {
	return n.lo / n.config.Side, (n.hi + n.config.Side - 1) / n.config.Side
}

// kernel counts this rank's pairs, in one epoch, and sums the counts of all ranks.
func (n *neighborhood) kernel() error {
	err := n.rank.Epoch(func() error {
		n.count(n.own, n.image.GetRange, n.tick)
		return nil
	})
	if err != nil {
		return err
	}
	for i, h := range n.own {
		var err error
		if n.total[i].sums, err = apps.SumEach(n.rank, h.sums); err != nil {
			return err
		}
		if n.total[i].differences, err = apps.SumEach(n.rank, h.differences); err != nil {
			return err
		}
	}
	return nil
}

// count counts the pairs whose upper or left pixel is this rank's. read reads pixels of the image.
func (n *neighborhood) count(to []histogram, read func(lo uint64, dst []uint16), tick func(rows, all int)) {
	if n.lo == n.hi {
		return
	}
	side := n.config.Side
	here, there := make([]uint16, side), make([]uint16, side)
	first, last := n.rows()
	for y := first; y < last; y++ {
		x0, x1 := max(n.lo-y*side, 0), min(n.hi-y*side, side) // this rank's part of the row
		right := min(x1+n.config.Long, side)
		read(uint64(y*side+x0), here[x0:right])
		for i := range n.ways {
			w := n.ways[i]
			if w.down == 0 {
				pairs(to[i], here, here, w, x0, x1)
				continue
			}
			if y+w.down >= side {
				continue
			}
			if w.right < 0 { // the first of three ways with this distance down
				from, end := max(x0-w.distance, 0), min(x1+w.distance, side)
				read(uint64((y+w.down)*side+from), there[from:end])
			}
			pairs(to[i], here, there, w, x0, x1)
		}
		tick(y-first+1, last-first)
	}
}

// pairs counts the pairs of the pixels x0 to x1-1 of a row and those of the other row at the way's distance.
func pairs(h histogram, row, other []uint16, w way, x0, x1 int) {
	x0, x1 = max(x0, -w.right), min(x1, len(row)-w.right)
	if x0 < x1 {
		h.addAll(row[x0:x1], other[x0+w.right:])
	}
}

func (n *neighborhood) tick(rows, all int) {
	n.rank.Poll()
	n.config.Progress.Passed(n.rank, 64, uint64(rows-1), uint64(rows), uint64(all))
}

// judge verifies the result, and adds the errors to it.
func (n *neighborhood) judge(result *NeighborhoodResult) error {
	counts, pixels := n.verify()
	if err := result.Found(n.rank, counts, "counts of pairs are wrong"); err != nil {
		return err
	}
	return result.Found(n.rank, pixels, "pixels of the image are wrong")
}

// verify draws all pixels that this rank needs again, without the array, and counts its pairs again. Rank 0 compares
// the total numbers of pairs with the expected ones.
func (n *neighborhood) verify() (counts, pixels uint64) {
	side := n.config.Side
	if n.lo < n.hi {
		first, last := n.rows()
		drawn := n.config.draw(first, min(last+n.config.Long, side))
		again := n.histograms()
		n.count(again, func(lo uint64, dst []uint16) { copy(dst, drawn[int(lo)-first*side:]) }, func(int, int) {})
		for i, h := range again {
			counts += unlike(h.sums, n.own[i].sums) + unlike(h.differences, n.own[i].differences)
		}
		pixels = unlike(n.image.Local(), drawn[n.lo-first*side:])
	}
	for i, h := range n.total {
		if w := n.ways[i]; n.rank.ID() == 0 && h.texture(w).Pairs != uint64((side-abs(w.right))*(side-w.down)) {
			counts++
		}
	}
	return counts, pixels
}

// unlike returns the number of elements that differ between two slices.
func unlike[T comparable](as, bs []T) (n uint64) {
	for i, a := range as {
		if a != bs[i] {
			n++
		}
	}
	return n
}

// way is the position of the other pixel of a pair, relative to the upper one, or, in one row, to the left one.
type way struct{ distance, degrees, right, down int }

// ways returns two distances in four directions.
func (c NeighborhoodConfig) ways() (all []way) {
	for _, d := range []int{c.Short, c.Long} {
		all = append(all, way{d, 0, d, 0}, way{d, 45, -d, d}, way{d, 90, 0, d}, way{d, 135, d, d})
	}
	return all
}

// histogram counts pairs of pixels by their sum and their difference.
type histogram struct{ sums, differences []uint64 }

func newHistogram(bits int) histogram {
	return histogram{make([]uint64, 1<<(bits+1)-1), make([]uint64, 1<<(bits+1)-1)}
}

// add counts one pair.
func (h histogram) add(a, b uint16) {
	h.sums[int(a)+int(b)]++
	h.differences[len(h.differences)/2+int(b)-int(a)]++
}

// addAll counts the pairs of two rows of pixels.
func (h histogram) addAll(as, bs []uint16) {
	bs = bs[:len(as)]
	for i, a := range as {
		h.add(a, bs[i])
	}
}

// Texture is the measures of a histogram of pairs: entropies in nats, and energies, which are 1 if all pairs are alike.
type Texture struct {
	Distance          int     `json:"distance"`
	Degrees           int     `json:"degrees"`
	Pairs             uint64  `json:"pairs"`
	SumEntropy        float64 `json:"sum_entropy"`
	SumEnergy         float64 `json:"sum_energy"`
	DifferenceEntropy float64 `json:"difference_entropy"`
	DifferenceEnergy  float64 `json:"difference_energy"`
}

func (h histogram) texture(w way) Texture {
	t := Texture{Distance: w.distance, Degrees: w.degrees}
	for _, n := range h.sums {
		t.Pairs += n
	}
	t.SumEntropy, t.SumEnergy = measures(h.sums, t.Pairs)
	t.DifferenceEntropy, t.DifferenceEnergy = measures(h.differences, t.Pairs)
	return t
}

func measures(counts []uint64, all uint64) (entropy, energy float64) {
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(all)
			entropy -= p * math.Log(p)
			energy += p * p
		}
	}
	return entropy, energy
}

// line is a line of the image: its ends, the upper one first, and the value of its pixels.
type line struct {
	x0, y0, x1, y1 int
	value          uint16
}

// line returns the k-th line of the image. Later ones are drawn over it.
func (c NeighborhoodConfig) line(k int) line {
	number := func(which, n int) int { return int(draw(c.Seed, forLines, uint64(8*k+which), uint64(n))) }
	l := line{number(0, c.Side), number(1, c.Side), number(2, c.Side), number(3, c.Side), uint16(1 + number(4,
		1<<c.Bits-1))}
	if l.y0 > l.y1 {
		l.x0, l.y0, l.x1, l.y1 = l.x1, l.y1, l.x0, l.y0
	}
	return l
}

// draw draws the rows lo to hi-1 of the image: the part of each line in these rows.
func (c NeighborhoodConfig) draw(lo, hi int) []uint16 {
	rows := make([]uint16, (hi-lo)*c.Side)
	for k := range c.Lines {
		l := c.line(k)
		if l.y1 < lo || l.y0 >= hi {
			continue
		}
		steps := max(l.y1-l.y0, abs(l.x1-l.x0))
		first := sort.Search(steps+1, func(i int) bool { return along(l.y0, l.y1, i, steps) >= lo })
		for i := first; i <= steps; i++ {
			y := along(l.y0, l.y1, i, steps)
			if y >= hi {
				break
			}
			rows[(y-lo)*c.Side+along(l.x0, l.x1, i, steps)] = l.value
		}
	}
	return rows
}

// along returns the number after i of the given steps from a to b, rounded.
func along(a, b, i, steps int) int {
	if steps == 0 {
		return a
	}
	if b < a {
		return a - (2*(a-b)*i+steps)/(2*steps)
	}
	return a + (2*(b-a)*i+steps)/(2*steps)
}

func abs(n int) int { return max(n, -n) }
