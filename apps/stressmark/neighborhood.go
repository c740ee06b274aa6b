package stressmark

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// NeighborhoodResult is what a run of Neighborhood tells.
type NeighborhoodResult struct {
	Report
	Side           int       `json:"side"`
	Bits           int       `json:"bits"`
	Pairs          uint64    `json:"pairs"` // of pixels, in all directions
	PairsPerSecond float64   `json:"pairs_per_second"`
	Textures       []Texture `json:"textures"`
}

// Rows is the result for display: labels and values.
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

// Neighborhood runs the Neighborhood Stressmark on a job. Every rank calls it, between epochs, with the same
// configuration but for Progress. The image lies in blocks on the ranks, row after row; a rank goes through its pixels
// row by row, and reads what lies beyond. Pairs are counted by sum and difference, at two distances and four angles.
// The result is complete on every rank. Wrong counts, and wrong pixels, are its Errors; an error means that the job
// failed, or can't work.
func Neighborhood(r *pebble.Rank, c NeighborhoodConfig) (result NeighborhoodResult, err error) {
	if err := c.Check(); err != nil {
		return result, err
	}
	n := newNeighborhood(r, c.withDefaults())
	result = NeighborhoodResult{Report: newReport(r, "neighborhood", c.Seed), Side: n.config.Side, Bits: n.config.Bits}
	if result.SetUp, err = apps.Timed(r, n.load); err != nil {
		return result, err
	}
	if err := result.kernel(n.space, n.kernel); err != nil {
		return result, err
	}
	for i, h := range n.total {
		t := h.texture(n.ways[i])
		result.Textures = append(result.Textures, t)
		result.Pairs += t.Pairs
	}
	if result.Seconds > 0 {
		result.PairsPerSecond = float64(result.Pairs) / result.Seconds
	}
	if err := n.judge(&result); err != nil {
		return result, err
	}
	return result, n.image.Free()
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
	need := 2*2*(side*side/uint64(n.rank.Size())+2*side) + 2*side*uint64(n.config.Long) // with what the verifier draws
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

// rows are those that this rank has pixels of: first to last-1.
func (n *neighborhood) rows() (first, last int) {
	return n.lo / n.config.Side, (n.hi + n.config.Side - 1) / n.config.Side
}

// kernel counts this rank's pairs, in one epoch, and adds up those of all.
func (n *neighborhood) kernel() error {
	err := n.rank.Epoch(func() error {
		n.count(n.own, n.image.GetRange, n.tick)
		return nil
	})
	if err != nil {
		return err
	}
	for i, h := range n.own {
		for _, both := range [][2][]uint64{{h.sums, n.total[i].sums}, {h.differences, n.total[i].differences}} {
			if err := addUp(n.rank, both[0], both[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// bins are counts that are added up at a time.
type bins [1 << 10]uint64

func (b bins) with(o bins) bins {
	for i := range b {
		b[i] += o[i]
	}
	return b
}

// addUp adds up counts over all ranks.
func addUp(r *pebble.Rank, own, total []uint64) error {
	for lo := 0; lo < len(own); lo += len(bins{}) {
		var some bins
		copy(some[:], own[lo:])
		all, err := pebble.AllReduce(r, some, bins.with)
		if err != nil {
			return err
		}
		copy(total[lo:], all[:])
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
			if w.right < 0 { // the first of three that go so far down
				from, end := max(x0-w.distance, 0), min(x1+w.distance, side)
				read(uint64((y+w.down)*side+from), there[from:end])
			}
			pairs(to[i], here, there, w, x0, x1)
		}
		tick(y-first+1, last-first)
	}
}

// pairs counts those between the pixels x0 to x1-1 of a row, and pixels of a row as far to the right as the way goes.
func pairs(h histogram, row, other []uint16, w way, x0, x1 int) {
	x0, x1 = max(x0, -w.right), min(x1, len(row)-w.right)
	if x0 < x1 {
		h.addAll(row[x0:x1], other[x0+w.right:])
	}
}

func (n *neighborhood) tick(rows, all int) {
	n.rank.Poll()
	if n.config.Progress != nil && n.rank.ID() == 0 && rows%64 == 0 {
		n.config.Progress(uint64(rows), uint64(all))
	}
}

// judge verifies, and adds to the result what is wrong with it.
func (n *neighborhood) judge(result *NeighborhoodResult) (err error) {
	var counts, pixels uint64
	result.Verify, err = apps.Timed(n.rank, func() error {
		counts, pixels = n.verify()
		return nil
	})
	if err != nil {
		return err
	}
	if err := result.Found(n.rank, counts, "counts of pairs are wrong"); err != nil {
		return err
	}
	if err := result.Found(n.rank, pixels, "pixels of the image are wrong"); err != nil {
		return err
	}
	return result.finish(n.rank)
}

// verify draws all that this rank needs again, without the array, and counts its pairs once more. Rank 0 compares how
// many there are in all with what there must be.
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

// unlike counts the elements of a slice that are not those of another one.
func unlike[T comparable](as, bs []T) (n uint64) {
	for i, a := range as {
		if a != bs[i] {
			n++
		}
	}
	return n
}
