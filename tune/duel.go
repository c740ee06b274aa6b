package tune

import (
	"fmt"
	"math"
)

// Duel shows whether a challenger is faster than the setting that there was before, by pairs of runs or windows that
// take turns in which of the two is first. A ratio of two that stand side by side is what neither a machine that gets
// slower nor a load that changes makes of them. Of many settings that are equal one looks best by chance; so the
// challenger must win so many pairs as one of two equal settings does once in a thousand duels: 10 of 10, 18 of 20. The
// zero value with its pairs is ready. It belongs to one goroutine.
type Duel struct {
	Pairs int // at the most; fewer than [DuelLeast] show nothing

	fought []pair
}

// pair is the times for some work with the two settings; 0 is one that was not yet.
type pair struct{ before, challenger float64 }

func (p pair) complete() bool { return p.before > 0 && p.challenger > 0 }

const (
	// DuelLeast is how many pairs a duel has at the least: one of two equal settings wins all of them once in 1,024 duels.
	DuelLeast = 10
	byChance  = 1e-3
)

// Challenges reports whether the challenger is next.
func (d *Duel) Challenges() bool {
	if n := len(d.fought); n > 0 && !d.fought[n-1].complete() {
		return d.fought[n-1].challenger == 0
	}
	return len(d.fought)%2 == 1
}

// Saw takes how long the one that was next has taken for the same work.
func (d *Duel) Saw(seconds float64) {
	challenges := d.Challenges()
	if n := len(d.fought); n == 0 || d.fought[n-1].complete() {
		d.fought = append(d.fought, pair{})
	}
	if p := &d.fought[len(d.fought)-1]; challenges {
		p.challenger = seconds
	} else {
		p.before = seconds
	}
}

// Over reports whether nothing can change the outcome any more.
func (d *Duel) Over() bool {
	o := d.Outcome()
	need := needed(d.Pairs)
	return o.Fought == d.Pairs || o.Won >= need || o.Won+d.Pairs-o.Fought < need
}

// Outcome is what a duel has shown so far.
type Outcome struct {
	Fought, Won   int     // pairs, and those in which the challenger was faster
	Ratio, Spread float64 // how many times as fast it was: the median; what half of the pairs are within, as part of it
	Faster        bool    // it is shown to be, and by 2 % at the least
}

func (o Outcome) String() string {
	if o.Fought == 0 {
		return "nothing shows that it is faster"
	}
	return fmt.Sprintf("%.2f times as fast, ±%.0f %%, faster in %d of %s", o.Ratio, 100*o.Spread, o.Won,
		counted(o.Fought, "pair"))
}

// Outcome tells what the pairs show.
func (d *Duel) Outcome() Outcome {
	o := Outcome{Ratio: 1}
	var ratios, off []float64
	for _, p := range d.fought {
		if !p.complete() {
			continue
		}
		o.Fought++
		ratios = append(ratios, p.before/p.challenger)
		if p.before > p.challenger {
			o.Won++
		}
	}
	if o.Fought == 0 {
		return o
	}
	o.Ratio = median(ratios)
	for _, ratio := range ratios {
		off = append(off, math.Abs(ratio/o.Ratio-1))
	}
	o.Spread = median(off)
	o.Faster = o.Won >= needed(d.Pairs) && o.Ratio >= 1+hysteresis
	return o
}

// needed is how many pairs of n must be won: the least number that one of two equal settings reaches with a chance of
// byChance at the most; n+1 where even all are too few.
func needed(n int) int {
	chance, exactly := 0.0, math.Pow(0.5, float64(n)) // of winning more than k pairs, and of winning k
	for k := n; k >= 0; k-- {
		if chance += exactly; chance > byChance {
			return k + 1
		}
		exactly *= float64(k) / float64(n-k+1)
	}
	return 0
}

// pairsFor is how many pairs nearly always show a gain, where a window's rate has such a deviation.
func pairsFor(gain, noise float64) int {
	const (
		pairsMost = 100
		// surely is deviations of the mean: 3.1 for byChance, 1.3 to win nine duels of ten, a quarter more as pairs are
		// only counted.
		surely = 5.5
	)
	deviations := surely * math.Sqrt2 * noise / math.Log(max(gain, 1+hysteresis))
	return int(min(max(math.Ceil(deviations*deviations), DuelLeast), pairsMost))
}
