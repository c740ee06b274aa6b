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
	runsMost int       // of the rounds
	duel     tune.Duel // without pairs where there is no room for it
	log      []tune.Decision
}

// runner is a setting in a race.
type runner struct {
	setting tune.Setting
	ratios  []float64 // to the medians of its laps
	seconds []float64
}

func (r *runner) score() float64 { return lab.Summarize(r.ratios).Median }

// duel is the phase of the last decision, on the winner of the rounds.
const duel = "duel"

// Least is how many runs a race must have to show that a setting is faster than the start: two for the race, and those
// of the duel.
const Least = 2 + 2*tune.DuelLeast

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
	if runs >= Least {
		r.duel.Pairs = max(tune.DuelLeast, runs/6)
		r.runsMost -= 2 * r.duel.Pairs
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
	case r.duel.Challenges():
		return r.leader().setting, true
	}
	return r.start, true
}

func (r *Race) racing() bool { return r.runs < r.runsMost && len(r.runners) > 1 }

// dueling reports whether the winner can still show that it is faster than the start.
func (r *Race) dueling() bool {
	return r.duel.Pairs > 0 && !r.duel.Over() && r.leader().setting != r.start
}

// place is whose turn it is: each lap begins with another one.
func (r *Race) place() int { return (len(r.lap) + r.lapped) % len(r.runners) }

// Saw takes how long the run that Next was about has taken.
func (r *Race) Saw(seconds float64) {
	next, on := r.Next()
	if !on || !(seconds > 0) {
		return
	}
	racing := r.racing()
	if r.runs++; !racing {
		r.duel.Saw(seconds)
		one := r.runner(next)
		one.seconds = append(one.seconds, seconds)
		return
	}
	if r.lap = append(r.lap, seconds); len(r.lap) == len(r.runners) {
		r.endLap()
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
	o, best := r.duel.Outcome(), r.leader().setting
	verdict := "left"
	if o.Faster {
		verdict = "kept"
	}
	return tune.Decision{
		Window: r.runs, From: r.start, To: best, Kept: o.Faster, Ratio: o.Ratio, Noise: o.Spread, Windows: o.Fought,
		Phase: duel, Reason: fmt.Sprintf("%s: %v: %s", tune.Change(r.start, best), o, verdict),
	}
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
	if seconds := lab.Summarize(r.runner(p.Setting).seconds).Median; seconds > 0 {
		p.Rate = 1 / seconds
	}
	return p
}

// Fought reports whether runs were enough to see if the winner of a profile's race is faster than the start.
func Fought(p tune.Profile) bool {
	n := len(p.Decisions)
	return n == 0 || p.Decisions[n-1].Phase != duel || p.Decisions[n-1].Windows > 0
}

// runner is who has a setting.
func (r *Race) runner(with tune.Setting) *runner {
	for _, one := range append(slices.Clone(r.out), r.runners...) {
		if one.setting == with {
			return one
		}
	}
	panic("race: nobody has the setting")
}
