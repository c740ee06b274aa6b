// Package race finds the fastest setting of a program by whole runs. All runs do the same work, in rounds: in each
// round the settings that are left run in turns, lap by lap, and then the slower half drops out, or more where runs are
// few. All rounds have about as many runs (successive halving; Karnin, Koren and Somekh 2013). A run counts by its
// ratio to the median of its lap, so that a machine that gets slower over an hour is slower for all. [tune.Tuner] is
// for a program that tunes itself while it runs.
//
// Of many settings that are equal one looks best by chance. So the winner fights a last duel with the start, in pairs
// of runs that take turns in who is first, and is kept only when it wins so many of them as equal settings do once in a
// thousand races.
package race

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/lab"
	"github.com/activepebbles/pebbles/tune"
)

// Race is a running race. It belongs to one goroutine.
type Race struct {
	start    tune.Setting
	runners  []*runner // still in it; the best first after each round
	out      []*runner
	laps     int       // of this round that are left, with the current one
	lap      []float64 // seconds of the current one
	lapped   int       // laps that are done
	runs     int
	runsMost int // of the rounds
	duelists int // pairs that the duel has at the most; 0: there is no room for it
	duel     []pair
	log      []tune.Decision
}

// pair is a run of the start and one of the winner, in seconds; 0 is one that was not yet.
type pair struct{ start, best float64 }

func (p pair) ratio() float64 { return p.start / p.best }

// runner is a setting in a race.
type runner struct {
	setting tune.Setting
	ratios  []float64 // to the medians of its laps
	seconds []float64
}

func (r *runner) score() float64 { return lab.Summarize(r.ratios).Median }

const (
	pairsLeast = 10   // of a duel: one of equal settings wins all of them once in 1,024 duels
	byChance   = 1e-3 // how often one of equal settings may win
	worthIt    = 1.02 // times as fast, at the median: what a winner must be
)

// duel is the phase of the last decision, on the winner of the rounds.
const duel = "duel"

// Least is how many runs a race must have to show that a setting is faster than the start: two for the race, and those
// of the duel.
const Least = 2 + 2*pairsLeast

// New begins a race of the start, what the model likes best, and settings all over the space: each third factor, caches
// off and of the middle size, all topologies. Where runs are too few for all, those are left out for which the model
// predicts the longest times. Share, Whole and Slowest don't matter.
func New(c tune.Config, runs int) (*Race, error) {
	c, err := c.Complete()
	switch {
	case err != nil:
		return nil, err
	case runs < 0:
		return nil, fmt.Errorf("race: a race of %d runs: give 0 or more", runs)
	}
	r := &Race{start: c.Start, runsMost: runs}
	if pairs := max(pairsLeast, runs/6); runs >= Least {
		r.duelists = pairs
		r.runsMost -= 2 * pairs
	}
	all := field(c)
	most := max(r.runsMost*2/3, min(runs, 2), 1) // the rest is for those that are fast
	for _, s := range all[:min(len(all), most)] {
		r.runners = append(r.runners, &runner{setting: s})
	}
	r.plan()
	return r, nil
}

// runsFor is what it takes until one of n is left, when each round has one lap for as many runners as there were at
// first.
func runsFor(n int) (runs int) {
	for left := n; left > 1; left = (left + 1) / 2 {
		runs += n
	}
	return max(runs, 1)
}

// plan shares out the runs that are left: all rounds have as many.
func (r *Race) plan() { r.laps = max(1, (r.runsMost-r.runs)/runsFor(len(r.runners))) }

// factorStep is the distance of factors in a race: times are flat around the best one.
const factorStep = 3

// field is the settings that take part, the most promising ones first.
func field(c tune.Config) []tune.Setting {
	var caches []int
	if all := c.Space.Cache; len(all) > 2 {
		caches = []int{all[0], all[len(all)/2]}
	} else {
		caches = all
	}
	var grid []tune.Setting
	for _, t := range c.Space.Topologies {
		for i := len(c.Space.Coalesce) - 1; i >= 0; i -= factorStep {
			for _, cache := range caches {
				if s := (tune.Setting{Topology: t, Coalesce: c.Space.Coalesce[i], Cache: cache}); !math.IsInf(c.Predict(s), 1) {
					grid = append(grid, s)
				}
			}
		}
	}
	slices.SortStableFunc(grid, func(a, b tune.Setting) int { return cmp.Compare(c.Predict(a), c.Predict(b)) })
	all := []tune.Setting{c.Start}
	for _, s := range append([]tune.Setting{c.Best()}, grid...) {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Next is what to run next; false when the race is over. It changes nothing.
func (r *Race) Next() (tune.Setting, bool) {
	switch {
	case r.racing():
		return r.runners[r.place()].setting, true
	case !r.dueling():
		return tune.Setting{}, false
	case r.startsTurn():
		return r.start, true
	}
	return r.leader().setting, true
}

func (r *Race) racing() bool { return r.runs < r.runsMost && len(r.runners) > 1 }

// dueling reports whether the winner can still show that it is faster than the start.
func (r *Race) dueling() bool {
	won, fought := r.won()
	return r.leader().setting != r.start && fought < r.duelists && won+r.duelists-fought >= needed(r.duelists)
}

// startsTurn reports whether the start runs next: each pair begins with the one that the pair before ended with.
func (r *Race) startsTurn() bool {
	n := len(r.duel)
	if n == 0 || r.duel[n-1].complete() {
		return n%2 == 0
	}
	return r.duel[n-1].start == 0
}

func (p pair) complete() bool { return p.start > 0 && p.best > 0 }

// won is how many pairs of the duel the winner has won, of those fought.
func (r *Race) won() (won, fought int) {
	for _, p := range r.duel {
		if p.complete() {
			fought++
			if p.ratio() > 1 {
				won++
			}
		}
	}
	return won, fought
}

// needed is how many pairs of n must be won: the least number that one of equal settings reaches with a chance of
// byChance at most.
func needed(n int) int {
	chance, ways := 0.0, math.Pow(0.5, float64(n)) // of winning k pairs or more, and of exactly k-1
	for k := n; k > 0; k-- {
		if chance += ways; chance > byChance {
			return k + 1
		}
		ways *= float64(k) / float64(n-k+1)
	}
	return n + 1
}

// place is whose turn it is: each lap begins with another one.
func (r *Race) place() int { return (len(r.lap) + r.lapped) % len(r.runners) }

// Saw takes how long the run that Next was about has taken.
func (r *Race) Saw(seconds float64) {
	if _, on := r.Next(); !on || !(seconds > 0) {
		return
	}
	if !r.racing() {
		r.fought(seconds)
		return
	}
	r.lap = append(r.lap, seconds)
	if r.runs++; len(r.lap) == len(r.runners) {
		r.endLap()
	}
}

// fought takes a run of the duel.
func (r *Race) fought(seconds float64) {
	start := r.startsTurn()
	if n := len(r.duel); n == 0 || r.duel[n-1].complete() {
		r.duel = append(r.duel, pair{})
	}
	p := &r.duel[len(r.duel)-1]
	if r.runs++; start {
		p.start = seconds
	} else {
		p.best = seconds
	}
}

func (r *Race) endLap() {
	usual := lab.Summarize(r.lap).Median
	for i, seconds := range r.lap {
		one := r.runners[(i+r.lapped)%len(r.runners)]
		one.ratios, one.seconds = append(one.ratios, seconds/usual), append(one.seconds, seconds)
	}
	r.lap = nil
	r.lapped++
	if r.laps--; r.laps == 0 {
		r.endRound()
	}
}

// endRound drops the slower half.
func (r *Race) endRound() {
	r.rank()
	half := (len(r.runners) + 1) / 2
	for half > 1 && runsFor(half) > r.runsMost-r.runs {
		half--
	}
	for _, one := range r.runners[half:] {
		r.log = append(r.log, r.decision(r.runners[0], one))
	}
	r.out = append(r.out, r.runners[half:]...)
	r.runners = r.runners[:half]
	r.plan()
}

func (r *Race) rank() {
	slices.SortStableFunc(r.runners, func(a, b *runner) int { return cmp.Compare(a.score(), b.score()) })
}

// decision is that a runner drops out, over the laps that both have run.
func (r *Race) decision(from, to *runner) tune.Decision {
	n := min(len(from.ratios), len(to.ratios))
	d := tune.Decision{Window: r.runs, From: from.setting, To: to.setting, Ratio: 1, Windows: n, Phase: "race"}
	if n > 0 {
		was := lab.Summarize(from.ratios[:n])
		d.Ratio, d.Noise = was.Median/lab.Summarize(to.ratios[:n]).Median, was.Spread/was.Median
	}
	d.Reason = fmt.Sprintf("%s: %.2f times as fast over %s: left", tune.Change(from.setting, to.setting), d.Ratio,
		counted(n, "run"))
	return d
}

// verdict is the outcome of the duel.
func (r *Race) verdict() tune.Decision {
	best := r.leader().setting
	d := tune.Decision{Window: r.runs, From: r.start, To: best, Ratio: 1, Phase: duel}
	var ratios []float64
	for _, p := range r.duel {
		if p.complete() {
			ratios = append(ratios, p.ratio())
		}
	}
	won, fought := r.won()
	if d.Windows = fought; fought == 0 {
		d.Reason = tune.Change(r.start, best) + ": no run was left to show that it is faster: left"
		return d
	}
	s := lab.Summarize(ratios)
	d.Ratio, d.Noise = s.Median, s.Spread/s.Median
	d.Kept = won >= needed(r.duelists) && s.Median >= worthIt
	verdict := "left"
	if d.Kept {
		verdict = "kept"
	}
	d.Reason = fmt.Sprintf("%s: %.2f times as fast, ±%.0f %%, faster in %d of %s: %s", tune.Change(r.start, best),
		d.Ratio, 100*d.Noise, won, counted(fought, "pair"), verdict)
	return d
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Setting is the best that is known: the start, until a duel has shown that another one is faster.
func (r *Race) Setting() tune.Setting {
	if r.verdict().Kept {
		return r.leader().setting
	}
	return r.start
}

func (r *Race) leader() *runner {
	best := r.runners[0]
	for _, one := range r.runners[1:] {
		if len(one.ratios) > 0 && one.score() < best.score() {
			best = one
		}
	}
	return best
}

// Runs is how many runs there were.
func (r *Race) Runs() int { return r.runs }

// Profile is what the race has found so far: the verdict on the best setting stands last, where that is not the start.
func (r *Race) Profile(of tune.For, now time.Time) tune.Profile {
	p := tune.Profile{
		Format: tune.ProfileFormat, For: of, Date: now, Setting: r.Setting(), Start: r.start, Gain: 1,
		Decisions: slices.Clone(r.log),
	}
	if r.leader().setting != r.start {
		verdict := r.verdict()
		p.Decisions = append(p.Decisions, verdict)
		if verdict.Kept {
			p.Gain = verdict.Ratio
		}
	}
	if seconds := lab.Summarize(r.seconds(p.Setting)).Median; seconds > 0 {
		p.Rate = 1 / seconds
	}
	return p
}

// Fought reports whether runs were enough to see if the winner of a profile's race is faster than the start.
func Fought(p tune.Profile) bool {
	n := len(p.Decisions)
	return n == 0 || p.Decisions[n-1].Phase != duel || p.Decisions[n-1].Windows > 0
}

// seconds are those of all runs of the start, or of the winner.
func (r *Race) seconds(of tune.Setting) (all []float64) {
	for _, one := range append(slices.Clone(r.out), r.runners...) {
		if one.setting == of {
			all = append(all, one.seconds...)
		}
	}
	for _, p := range r.duel {
		if took := p.best; of != r.start && took > 0 {
			all = append(all, took)
		} else if took := p.start; of == r.start && took > 0 {
			all = append(all, took)
		}
	}
	return all
}
