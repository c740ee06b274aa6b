package tune

import (
	"fmt"
	"math"
	"slices"
)

const (
	hysteresis = 0.02 // a change that gains less is not made
	sure       = 2.5  // deviations by which a change must be better, or worse
	unsure     = 1    // the same where runs are counted
	worthIt    = 0.05 // a gain that is to be told from none, where triesMost windows can tell
	triesLeast = 3
	triesMost  = 25
	surer      = 3.5 // the same for the check at the end of a search
	checkLeast = 10
	checkMost  = 60
	recentMost = 64 // windows of the setting in force that count
	noiseGuess = 0.05
	shortest   = 0.25 // of a window of the setting in force: how long an experiment must be able to last
	slowest    = 2    // times as long as the setting in force: what an untried one is expected to take at most
	changedBy  = 0.15 // of the rate, at the least: what makes a change of the load
	changedFor = 5    // windows in a row
	calmFor    = 10   // after a search before the next one
)

// CheckRuns is how many of a configuration's Runs are kept for the check at the end.
const CheckRuns = 2*checkLeast + 2

// Tuner chooses settings. It belongs to one goroutine.
type Tuner struct {
	config  Config
	search  *search
	trial   Trial    // the next window
	attempt *attempt // the change that is being tried
	log     []Decision

	from  Setting // in force when the search began
	looks float64 // how many times as fast as that the one in force looks, by the ratios of all changes
	gain  float64 // that the last check has shown; 1 without

	// What tuning has cost and gained so far, against the setting that the search began with.
	elapsed float64 // seconds
	balance float64 // seconds gained by better settings, less those lost in experiments and between windows
	certain float64 // how many times as fast the setting in force is, at the least

	windows int
	rates   []float64 // of the last windows of the setting in force
	fresh   int       // windows of it since it came into force, or the search ended
	window  float64   // seconds of the last of them

	settled bool
	since   int     // the window at which the search ended
	rate    float64 // of the setting in force after that
	off     int     // windows in a row whose rates are another load's
	calm    int     // windows after a search before the next one, for now
}

// attempt is a change under trial. A check tries the setting that the search began with, against the one it has found.
type attempt struct {
	to      Setting
	check   bool
	ratios  []float64 // of its rate to that of the setting in force
	before  float64   // rate of the setting in force before the window
	rate    float64   // of the window that waits for what comes after
	waiting bool
	broken  int // windows that told nothing, because the load was changing
}

// New makes a tuner. The error says what is wrong with the configuration.
func New(c Config) (*Tuner, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	t := &Tuner{config: c, calm: calmFor}
	t.startSearch(c.Start)
	t.settled = c.Known
	t.plan()
	return t, nil
}

// startSearch begins a search from a setting.
func (t *Tuner) startSearch(from Setting) {
	t.search, t.settled = newSearch(&t.config, from), false
	t.from, t.looks, t.gain, t.certain = from, 1, 1, 1
}

// Next is what to run the next window with. It changes nothing, and is the same until Saw is called.
func (t *Tuner) Next() Trial { return t.trial }

// Setting is the setting in force: the one that looks best, and once the tuner has settled the one that was shown to
// be.
func (t *Tuner) Setting() Setting { return t.search.now }

// Settled reports whether nothing is left to try, until the load changes.
func (t *Tuner) Settled() bool { return t.settled }

// Gain is how many times as fast the setting in force has shown to be, in a check, as the one that was in force when
// the search began. It is 1 before, and when it has not shown to be faster.
func (t *Tuner) Gain() float64 { return t.gain }

// Log lists all decisions, the oldest first. The caller must not change it.
func (t *Tuner) Log() []Decision { return t.log }

// Reason says what is in force and why, for display.
func (t *Tuner) Reason() string {
	text := t.Setting().String()
	switch {
	case len(t.log) == 0 && t.config.Known:
		return text + ": known from runs before this one"
	case len(t.log) == 0:
		return text + ": nothing else was tried yet"
	case t.gain > 1:
		text += fmt.Sprintf(": %.2f times as fast as %v; last, %s", t.gain, t.from, t.log[len(t.log)-1].Reason)
	case t.search.now != t.from:
		text += fmt.Sprintf(": taken on trial, and not yet shown to be faster than %v", t.from)
	default:
		text += fmt.Sprintf(": none of %s was shown to be faster", counted(len(t.log), "other setting"))
	}
	if t.settled {
		return text + fmt.Sprintf("; settled after %s", counted(len(t.log), "decision"))
	}
	return text
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Saw takes the result of the window that Next returned. A window without work counts only as lost time.
func (t *Tuner) Saw(w Window) {
	t.book(w.Overhead, 0)
	if !(w.Work > 0) || !(w.Seconds > 0) {
		return
	}
	t.windows++
	rate := w.Work / w.Seconds
	if a := t.attempt; t.trial.Experiment {
		a.rate, a.waiting = rate, true
		t.book(w.Seconds, rate/a.before)
	} else {
		t.book(w.Seconds, 1)
		t.rates = append(t.rates[max(0, len(t.rates)+1-recentMost):], rate)
		t.fresh++
		t.window = w.Seconds
		t.judge()
		t.watch()
	}
	t.plan()
}

// book accounts for seconds of a setting that was so many times as fast as the one in force; 0 when nothing was done.
func (t *Tuner) book(seconds, ratio float64) {
	t.elapsed += seconds
	t.balance += seconds * (ratio*t.certain - 1)
}

// room is how many seconds may be lost now. The start would have taken the time that has passed and the balance.
func (t *Tuner) room() float64 { return t.config.Share*(t.elapsed+t.balance) + t.balance }

// judge looks at the change under trial, when a window of the setting in force has followed its own.
func (t *Tuner) judge() {
	a := t.attempt
	if a == nil || !a.waiting {
		return
	}
	a.waiting = false
	after, noise := t.rates[len(t.rates)-1], noise(t.rates)
	if math.Abs(after/a.before-1) > max(4*noise, changedBy) && a.broken < triesLeast {
		a.broken++
		return
	}
	a.ratios = append(a.ratios, a.rate/((a.before+after)/2))
	n, ratio, must, most := len(a.ratios), median(a.ratios), sure, tries(noise)
	judged := n&(n-1) == 0 // judging after each window would find more differences by chance
	switch {
	case a.check:
		ratio, must, most, judged = 1/ratio, surer, checkMost, n%checkLeast == 0
	case t.config.Runs > 0:
		must, most = unsure, 2
	}
	if !judged && n < most {
		return
	}
	doubt := must * noise * math.Sqrt(2/float64(n)) // windows of the change, and as many of the setting in force
	better := math.Log(ratio)                       // so that half and twice as fast are as far from equal
	kept := better > max(hysteresis, doubt) && (!a.check || slower(a.ratios))
	if kept || better < -doubt || n >= most || n >= triesLeast && better+doubt/must < worthIt {
		t.decide(kept, ratio, doubt, noise)
	}
}

// slower reports whether nearly all windows were: 10 of 10, or 17 of 20, as happens once with 800 equal settings.
// Ratios alone would tell nothing where many windows are odd.
func slower(ratios []float64) bool {
	count, n := 0.0, float64(len(ratios))
	for _, r := range ratios {
		if r < 1 {
			count++
		}
	}
	return count >= n/2+1.55*math.Sqrt(n)
}

// tries is for how many windows a change is tried at most: as many as tell a change that is worth it from none.
func tries(noise float64) int {
	deviations := sure * noise / worthIt
	return int(min(max(2*deviations*deviations, triesLeast), triesMost))
}

// decide ends the trial of a change. Only the gain that is certain is credited.
func (t *Tuner) decide(kept bool, ratio, doubt, noise float64) {
	a, from := t.attempt, t.search.now
	to, phase, verdict := a.to, "check", "left"
	if a.check {
		from, to = to, from
	} else {
		phase = t.search.phases[0]
	}
	switch {
	case kept && a.check:
		verdict, t.gain, t.certain = "kept", ratio, max(1, ratio-doubt)
	case kept:
		verdict = "taken"
		t.looks *= ratio
		t.certain *= max(1, ratio-doubt)
		t.rescale(ratio)
	case a.check:
		t.search.now, t.certain = t.from, 1
		t.rescale(1 / ratio)
	}
	t.log = append(t.log, Decision{
		Window: t.windows, From: from, To: to, Kept: kept, Ratio: ratio, Noise: noise, Windows: len(a.ratios),
		Phase: phase,
		Reason: fmt.Sprintf("%s: %.2f times as fast over %s (noise %.0f %%): %s", Change(from, to), ratio,
			counted(len(a.ratios), "window"), 100*noise, verdict),
	})
	if t.attempt = nil; a.check {
		t.settle()
	} else {
		t.search.tried(a.to, kept)
	}
}

// rescale turns the rates into those of a setting so many times as fast, which has just come into force.
func (t *Tuner) rescale(ratio float64) {
	for i := range t.rates {
		t.rates[i] *= ratio
	}
	t.fresh = 0
}

// plan decides what the next window is run with: the change under trial when there is room for it, and otherwise the
// setting in force.
func (t *Tuner) plan() {
	t.trial = Trial{Setting: t.search.now}
	if t.settled || t.fresh == 0 || t.fresh == 1 && t.config.Runs == 0 {
		return
	}
	if n := t.config.Runs; n > 0 && t.windows >= n-CheckRuns && (t.attempt == nil || !t.attempt.check) {
		t.attempt, t.search.phases, t.search.list = nil, nil, nil // what is left is for the check
	}
	if t.attempt == nil {
		if to, ok := t.search.next(); ok {
			t.attempt = &attempt{to: to}
		} else if t.search.now != t.from {
			t.attempt = &attempt{to: t.from, check: true}
		} else {
			t.settle()
			return
		}
	}
	if a, room := t.attempt, t.room(); !a.waiting && room >= t.need(a) {
		a.before = median(t.rates[max(0, len(t.rates)-2):])
		t.trial = Trial{Setting: a.to, Experiment: true}
		if !t.config.Whole {
			t.trial.Seconds = min(t.window, room)
		}
	}
}

// need is how many seconds of room the next window of a change must have.
func (t *Tuner) need(a *attempt) float64 {
	slow := float64(slowest)
	if p := t.config.Predict(a.to) / t.config.Predict(t.search.now); p > slow {
		slow = p
	}
	switch {
	case !t.config.Whole:
		return shortest * t.window
	case a.check:
		slow = t.certain // what it costs beside the start is nothing
	case len(a.ratios) > 0:
		slow = max(1, 1.2/median(a.ratios))
	}
	return (slow - t.certain) * t.window
}

func (t *Tuner) settle() { t.settled, t.since, t.fresh, t.off = true, t.windows, 0, 0 }

// watch starts a new search when the load has changed for good. The calm before a search doubles each time that the
// load keeps changing.
func (t *Tuner) watch() {
	if !t.settled || t.fresh == 0 {
		return
	}
	if t.fresh <= calmFor {
		t.rate = median(t.rates[max(0, len(t.rates)-t.fresh):])
		return
	}
	if now := t.rates[len(t.rates)-1]; math.Abs(now/t.rate-1) <= max(4*noise(t.rates), changedBy) {
		t.off = 0
		return
	}
	t.off++
	calm := t.windows - t.since
	if t.off < changedFor || calm < t.calm {
		return
	}
	if calm > 4*t.calm {
		t.calm = calmFor
	}
	t.calm *= 2
	t.startSearch(t.search.now) // what the start would do now is not known
}

// noise is the standard deviation of a window's rate, as part of it, by the median of how far windows are from the ones
// before them: neither drift nor a single odd window makes it large. Of few windows it is more, for they may agree by
// chance, and before there are four it is a guess.
func noise(rates []float64) float64 {
	if len(rates) < 4 {
		return noiseGuess
	}
	var steps []float64
	for i := 1; i < len(rates); i++ {
		steps = append(steps, math.Abs(rates[i]/rates[i-1]-1))
	}
	const ofNormal = 1.4826 // the deviation of a normal distribution whose median distance is 1
	return ofNormal * median(steps) / math.Sqrt2 * (1 + 4/float64(len(rates)))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
