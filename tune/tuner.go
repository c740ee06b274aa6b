package tune

import (
	"fmt"
	"math"
	"slices"
)

const (
	hysteresis = 0.02 // a change that gains less is not made
	sure       = 2.5  // deviations by which a change must be better, or worse
	worthIt    = 0.05 // a change that gains so much is to be told from none, if that takes triesMost windows at the most
	triesLeast = 3
	triesMost  = 25
	shortest   = 0.25 // of a window of the setting in force: how long an experiment must be able to last
	changedBy  = 0.15 // of the rate, at the least: what makes a change of the load
	changedFor = 5    // windows in a row
	calmLeast  = 10   // windows after a search before the next one
)

// Tuner chooses settings. It belongs to one goroutine.
type Tuner struct {
	config  Config
	ledger  ledger
	search  *search
	trial   Trial    // the next window
	attempt *attempt // the change that is being tried
	log     []Decision

	from  Setting // in force when the search began
	looks float64 // how many times as fast as that the one in force looks, by the ratios of all changes that were taken
	duel  *Duel   // of the two, once the search has ended
	gain  float64 // that the last duel has shown; 1 without

	windows int
	recent  recent  // windows of the setting in force
	fresh   int     // windows of it since it came into force, or the search ended
	window  float64 // seconds of the last of them

	settled bool
	since   int     // the window at which the search ended
	rate    float64 // of the setting in force after that
	off     int     // windows in a row whose rates are another load's
	calm    int     // windows after a search before the next one, for now
}

// attempt is a change under trial.
type attempt struct {
	to      Setting
	ratios  []float64
	before  float64 // rate of the setting in force before the window
	rate    float64 // of the window that waits for what comes after
	waiting bool
	broken  int // windows that told nothing, because the load was changing
}

// New makes a tuner. The error says what is wrong with the configuration.
func New(c Config) (*Tuner, error) {
	c, err := c.Complete()
	if err != nil {
		return nil, err
	}
	t := &Tuner{config: c, ledger: ledger{share: c.Share, gain: 1}, calm: calmLeast}
	t.begin(c.Start)
	t.settled = c.Known
	t.plan()
	return t, nil
}

// begin begins a search from a setting.
func (t *Tuner) begin(from Setting) {
	t.search, t.duel = newSearch(&t.config, from), nil
	t.from, t.looks, t.gain, t.ledger.gain = from, 1, 1, 1
}

// Next is what to run the next window with. It changes nothing, and is the same until Saw is called.
func (t *Tuner) Next() Trial { return t.trial }

// Setting is the setting in force: the one that looks best, and once the tuner has settled the one that was shown to
// be.
func (t *Tuner) Setting() Setting { return t.search.now }

// Settled reports whether nothing is left to try, until the load changes.
func (t *Tuner) Settled() bool { return t.settled }

// Gain is how many times as fast the setting in force has shown to be, in a duel, as the one that was in force when the
// search began: the start, or what an earlier search has come to. It is 1 before, and when it has not shown to be
// faster.
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
	t.ledger.lost(w.Overhead)
	if w.empty() {
		return
	}
	t.windows++
	if t.trial.Experiment && t.dueling() {
		t.ledger.tried(w.Seconds, 1/t.ledger.gain) // the setting that all is held against
	} else if t.trial.Experiment {
		t.attempt.rate, t.attempt.waiting = w.rate(), true
		t.ledger.tried(w.Seconds, w.rate()/t.attempt.before)
	} else {
		t.ledger.inForce(w.Seconds)
		t.recent.add(w.rate())
		t.fresh++
		t.window = w.Seconds
		t.judge()
		t.watch()
	}
	if t.dueling() {
		t.duel.Saw(1 / w.rate())
		t.conclude()
	}
	t.plan()
}

func (t *Tuner) dueling() bool { return t.duel != nil && !t.settled }

// conclude ends the duel when its outcome is known, and the search with it.
func (t *Tuner) conclude() {
	if !t.duel.Over() {
		return
	}
	o, best := t.duel.Outcome(), t.search.now
	t.gain, t.ledger.gain = 1, 1
	verdict := "left"
	if o.Faster {
		t.gain, t.ledger.gain, verdict = o.Ratio, max(1, o.Ratio*(1-o.Spread)), "kept"
	} else {
		t.search.now = t.from
		t.recent = recent{rates: scaled(t.recent.rates, 1/o.Ratio)}
	}
	t.log = append(t.log, Decision{
		Window: t.windows, From: t.from, To: best, Kept: o.Faster, Ratio: o.Ratio, Noise: o.Spread, Windows: o.Fought,
		Phase: "duel", Reason: fmt.Sprintf("%s: %v: %s", Change(t.from, best), o, verdict),
	})
	t.settle()
}

// judge looks at the change under trial, when a window of the setting in force has followed its own.
func (t *Tuner) judge() {
	a := t.attempt
	if a == nil || !a.waiting {
		return
	}
	a.waiting = false
	after, noise := t.recent.rates[len(t.recent.rates)-1], t.recent.noise()
	if around := math.Abs(after/a.before - 1); around > max(4*noise, changedBy) && a.broken < triesLeast {
		a.broken++
		return
	}
	a.ratios = append(a.ratios, a.rate/((a.before+after)/2))
	n, last := len(a.ratios), tries(noise)
	if n&(n-1) != 0 && n < last {
		return // testing after each window would find more differences by chance
	}
	ratio, doubt := mean(a.ratios), sure*noise*deviation(n)
	switch better := math.Log(ratio); { // so that half and twice as fast are as far from equal
	case better > max(hysteresis, doubt):
		t.decide(true, ratio, doubt, noise)
	case better < -doubt || n >= last || n >= triesLeast && better+doubt/sure < worthIt: // hardly worth it, whatever follows
		t.decide(false, ratio, doubt, noise)
	}
}

// deviation is that of the mean of n ratios, as part of a window's: that of n windows of the change, and of as many of
// the setting in force.
func deviation(n int) float64 { return math.Sqrt(2 / float64(n)) }

// tries is for how many windows a change is tried at most: as many as tell a change that is worth it from none.
func tries(noise float64) int {
	deviations := sure * noise / worthIt
	n := 2 * deviations * deviations
	return int(min(max(n, triesLeast), triesMost))
}

// decide ends the trial of a change. The ledger is credited only with what is certain.
func (t *Tuner) decide(kept bool, ratio, doubt, noise float64) {
	a, from := t.attempt, t.search.now
	d := Decision{
		Window: t.windows, From: from, To: a.to, Kept: kept, Ratio: ratio, Noise: noise, Windows: len(a.ratios), Phase: t.search.phase,
	}
	verdict := "left"
	if kept {
		verdict = "taken"
	}
	d.Reason = fmt.Sprintf("%s: %.2f times as fast over %s (noise %.0f %%): %s", Change(from, a.to), ratio,
		counted(len(a.ratios), "window"), 100*noise, verdict)
	t.log = append(t.log, d)
	t.attempt = nil
	t.search.tried(a.to, kept)
	if kept {
		t.looks *= ratio
		t.ledger.gain *= max(1, ratio-doubt)
		t.recent, t.fresh = recent{rates: scaled(t.recent.rates, ratio)}, 0
	}
}

// scaled is what the rates would have been with a setting so many times as fast.
func scaled(rates []float64, ratio float64) []float64 {
	rates = slices.Clone(rates)
	for i := range rates {
		rates[i] *= ratio
	}
	return rates
}

// plan decides what the next window is run with: the change under trial when there is room for it, and otherwise the
// setting in force.
func (t *Tuner) plan() {
	t.trial = Trial{Setting: t.search.now}
	if t.fresh < 2 || t.settled {
		return
	}
	if t.dueling() {
		t.planDuel()
		return
	}
	if t.attempt == nil {
		to, ok := t.search.next()
		if !ok {
			t.end()
			return
		}
		t.attempt = &attempt{to: to}
	}
	if t.attempt.waiting {
		return
	}
	room := t.ledger.room()
	if room < t.need(t.attempt.to) {
		return
	}
	t.attempt.before = t.recent.last(2)
	t.trial = Trial{Setting: t.attempt.to, Experiment: true}
	if !t.config.Whole {
		t.trial.Seconds = min(t.window, room)
	}
}

// need is how many seconds of room the next window of a change must have.
func (t *Tuner) need(to Setting) float64 {
	if !t.config.Whole {
		return shortest * t.window
	}
	slow := t.config.Slowest
	if now := t.config.Predict(t.search.now); now > 0 {
		slow = max(slow, t.config.Predict(to)/now)
	}
	if a := t.attempt; len(a.ratios) > 0 { // it is known by now
		slow = max(1, 1.2/mean(a.ratios))
	}
	return (slow - t.ledger.gain) * t.window
}

// end ends the search, by a duel where it has come to another setting.
func (t *Tuner) end() {
	if t.search.now == t.from {
		t.settle()
		return
	}
	t.duel = &Duel{Pairs: pairsFor(t.looks, t.recent.noise())}
	t.planDuel()
}

// planDuel is plan while the duel lasts. What was in force before costs nothing beside itself, so there is room for it.
func (t *Tuner) planDuel() {
	if t.duel.Challenges() {
		return
	}
	if t.trial = (Trial{Setting: t.from, Experiment: true}); !t.config.Whole {
		t.trial.Seconds = t.window
	}
}

// settle ends the search for good.
func (t *Tuner) settle() {
	t.settled, t.since, t.fresh, t.off = true, t.windows, 0, 0
}

// watch starts a new search when the load has changed for good. The calm before a search doubles each time that the
// load keeps changing.
func (t *Tuner) watch() {
	if !t.settled {
		return
	}
	if t.fresh <= calmLeast {
		t.rate = t.recent.last(t.fresh)
		return
	}
	now := t.recent.rates[len(t.recent.rates)-1]
	if math.Abs(now/t.rate-1) <= max(4*t.recent.noise(), changedBy) {
		t.off = 0
		return
	}
	t.off++
	calm := t.windows - t.since
	if t.off < changedFor || calm < t.calm {
		return
	}
	if calm > 4*t.calm {
		t.calm = calmLeast
	}
	t.calm *= 2
	t.settled = false
	t.begin(t.search.now) // what the start would do now is not known
}
