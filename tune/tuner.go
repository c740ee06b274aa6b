package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	hysteresis = 0.02 // a change that gains less is not made
	hopeless   = 3    // predicted slowdown from which a topology is not tried
	sure       = 2.5  // deviations by which a change must be better, or worse
	unsure     = 1    // the same if runs are counted
	worthIt    = 0.05 // a gain that trials must detect, if triesMost windows suffice
	triesLeast = 3
	triesMost  = 25
	surer      = 3.5 // the same for the check at the end of a search
	checkLeast = 10  // windows of it
	checkMost  = 60
	recentMost = 64 // windows of the setting in force that count
	noiseGuess = 0.05
	share      = 0.05 // limit on the time that experiments lose
	changedBy  = 0.15 // least change of the rate that counts as a change of the load
	changedFor = 5    // windows in a row
	calmFor    = 10   // windows after a search that define the load
)

// CheckRuns is the number of a configuration's Runs that are reserved for the check at the end.
const CheckRuns = 2*checkLeast + 2

// phases are the phases of a search, in order. Factors have a second turn for another topology.
var phases = []string{"model", "coalesce", "cache", "topology", "coalesce"}

// Tuner chooses settings. It belongs to one goroutine.
type Tuner struct {
	config  Config
	log     []Decision
	now     Setting // in force
	from    Setting // in force when the search began
	phase   int     // of the search, in phases
	seen    map[Setting]bool
	attempt *attempt // change under trial
	trying  bool     // in the next window
	gain    float64  // speed of the setting in force over that before the search, by the last check; 1 without one
	debt    float64  // seconds lost in experiments and between windows that are not yet earned back

	windows int
	rates   []float64 // of the last windows of the setting in force
	fresh   int       // windows of it since it came into force, or the search ended

	settled bool
	rate    float64 // of the setting in force after that
	off     int     // windows in a row with rates of another load
	calm    int     // windows before the next search; more if the load keeps changing
}

// attempt is a change under trial. A check tries the setting that the search began with, against the one that it has
// found.
type attempt struct {
	to     Setting
	check  bool
	ratios []float64 // of its rate to that of the setting in force
	before float64   // rate of the setting in force before the window
	rate   float64   // of the window whose successor is awaited; 0 for none
	broken int       // windows without a result
}

// New makes a tuner. It returns an error if the configuration is invalid.
func New(c Config) (*Tuner, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	t := &Tuner{config: c, calm: calmFor}
	t.search(c.Start)
	t.settled = c.Known
	return t, nil
}

// search begins a search from a setting.
func (t *Tuner) search(from Setting) {
	t.now, t.from, t.phase, t.seen, t.settled = from, from, 0, map[Setting]bool{from: true}, false
	t.gain = 1
}

// Next returns the setting of the next window. It changes nothing, and is the same until Observe is called.
func (t *Tuner) Next() Setting {
	if t.trying {
		return t.attempt.to
	}
	return t.now
}

// Setting returns the setting in force: the best so far, and after the tuner has settled the one that passed the check.
func (t *Tuner) Setting() Setting { return t.now }

// Settled reports whether nothing is left to try, until the load changes.
func (t *Tuner) Settled() bool { return t.settled }

// Log returns all decisions, the oldest first. The caller must not change it.
func (t *Tuner) Log() []Decision { return t.log }

// Reason describes the setting in force and the reason for it, for display.
func (t *Tuner) Reason() string {
	text := t.now.String()
	switch tried := counted(len(t.log), "other setting"); {
	case len(t.log) == 0 && t.config.Known:
		return text + ": known from runs before this one"
	case len(t.log) == 0:
		return text + ": nothing else was tried yet"
	case t.gain > 1:
		text += fmt.Sprintf(": %.2f times as fast as %v", t.gain, t.from)
	case t.now != t.from:
		text += fmt.Sprintf(": taken on trial, and not yet shown to be faster than %v", t.from)
	default:
		text += fmt.Sprintf(": none of %s was shown to be faster", tried)
	}
	if t.settled {
		text += fmt.Sprintf("; settled after %s", counted(len(t.log), "decision"))
	}
	return text
}

func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// Profile returns the tuner's result so far: the setting that it began with, until a check has shown another to be
// faster.
func (t *Tuner) Profile(of For, now time.Time) Profile {
	p := Profile{
		Format: ProfileFormat, For: of, Date: now, Setting: t.from, Start: t.config.Start, Gain: t.gain,
		Decisions: t.log,
	}
	if t.gain > 1 {
		p.Setting = t.now
	}
	if len(t.rates) > 0 {
		p.Rate = median(t.rates)
	}
	return p
}

// Observe takes the result of the window that Next returned. A window without work counts only as lost time.
func (t *Tuner) Observe(w Window) {
	t.debt += w.Overhead
	if !(w.Work > 0) || !(w.Seconds > 0) {
		return
	}
	t.windows++
	rate := w.Work / w.Seconds
	if t.trying { // a window of the setting in force comes next
		t.attempt.rate, t.trying = rate, false
		t.debt += w.Seconds * (1 - min(1, rate/t.attempt.before))
		return
	}
	if len(t.rates) == 0 {
		t.debt += w.Seconds // allowance for the first experiment
	}
	if t.debt = max(0, t.debt-share*w.Seconds); t.config.Runs > 0 {
		t.debt = 0
	}
	t.rates = append(t.rates[max(0, len(t.rates)+1-recentMost):], rate)
	t.fresh++
	t.judge()
	t.watch()
	t.plan()
}

// plan chooses the setting of the next window: the change under trial if there is room for it, and otherwise the
// setting in force.
func (t *Tuner) plan() {
	if t.settled || t.fresh == 0 || t.fresh == 1 && t.config.Runs == 0 {
		return
	}
	if n := t.config.Runs; n > 0 && t.windows >= n-CheckRuns && (t.attempt == nil || !t.attempt.check) {
		t.attempt, t.phase = nil, len(phases) // the rest is for the check
	}
	if t.attempt == nil {
		to, left := t.propose()
		if !left && t.now == t.from {
			t.settle()
			return
		}
		if !left {
			to = t.from
		}
		t.attempt = &attempt{to: to, check: !left}
	}
	if t.debt == 0 {
		t.attempt.before, t.trying = median(t.rates[max(0, len(t.rates)-2):]), true
	}
}

// propose returns the setting to try; false if nothing is left.
func (t *Tuner) propose() (Setting, bool) {
	for ; t.phase < len(phases); t.phase++ {
		for _, to := range t.candidates() {
			if !t.seen[to] {
				return to, true
			}
		}
	}
	return Setting{}, false
}

// candidates returns the settings of a phase, the likeliest first.
func (t *Tuner) candidates() (all []Setting) {
	space, to := &t.config.Space, t.now
	switch phases[t.phase] {
	case "model":
		return []Setting{t.config.best(t.from, space.Topologies)}
	case "coalesce":
		if t.phase == len(phases)-1 && t.now.Topology == t.from.Topology {
			return nil
		}
		// Two places away, and then one: if the best is a single hill, the number of steps to it is half its distance
		// in places, and four more.
		at := slices.Index(space.Coalesce, t.now.Coalesce)
		for _, place := range []int{at + 2, at - 2, at + 1, at - 1} {
			if place >= 0 && place < len(space.Coalesce) {
				to.Coalesce = space.Coalesce[place]
				all = append(all, to)
			}
		}
	case "cache": // may cost more than it saves up to a size and pay beyond it, so no size stands for others
		for _, to.Cache = range space.Cache {
			all = append(all, to)
		}
	case "topology": // with the factor that the model predicts to be best there
		for _, to.Topology = range space.Topologies {
			to := t.config.best(to, []string{to.Topology})
			if to.Topology != t.now.Topology && t.config.Predict(to) < hopeless*t.config.Predict(t.now) {
				all = append(all, to)
			}
		}
		slices.SortStableFunc(all, func(a, b Setting) int {
			return cmp.Compare(t.config.Predict(a), t.config.Predict(b))
		})
	}
	return all
}

// judge judges the change under trial, after a window of the setting in force has followed its own.
func (t *Tuner) judge() {
	a := t.attempt
	if a == nil || a.rate == 0 {
		return
	}
	after, noise, rate := t.rates[len(t.rates)-1], noise(t.rates), a.rate
	a.rate = 0
	if math.Abs(after/a.before-1) > max(4*noise, changedBy) && a.broken < triesLeast {
		a.broken++ // the load was changing
		return
	}
	a.ratios = append(a.ratios, 2*rate/(a.before+after))
	n, ratio, must, enough := len(a.ratios), median(a.ratios), sure, true
	judged := n&(n-1) == 0 // judging after each window would find more differences by chance
	deviations := sure * noise / worthIt
	most := int(min(max(2*deviations*deviations, triesLeast), triesMost)) // enough to detect a gain of worthIt
	switch {
	case a.check:
		// Nearly all windows are slower, 10 of 10 or 17 of 20, as happens once with 800 equal settings. Ratios alone
		// would not suffice if many windows are odd.
		enough = float64(count(a.ratios, func(r float64) bool { return r < 1 })) >= float64(n)/2+1.55*math.Sqrt(float64(n))
		ratio, must, most, judged = 1/ratio, surer, checkMost, n%checkLeast == 0
	case t.config.Runs > 0:
		must, most = unsure, 2
	}
	if !judged && n < most {
		return
	}
	doubt := must * noise * math.Sqrt(2/float64(n)) // windows of the change, and as many of the setting in force
	better := math.Log(ratio)                       // so that half and double speed are equally far from equal
	kept := enough && better > max(hysteresis, doubt)
	if kept || better < -doubt || n >= most || n >= triesLeast && better+doubt/must < worthIt {
		t.decide(kept, ratio, noise)
	}
}

// decide ends the trial of a change.
func (t *Tuner) decide(kept bool, ratio, noise float64) {
	a := t.attempt
	d := Decision{
		Window: t.windows, From: t.now, To: a.to, Kept: kept, Ratio: ratio, Noise: noise, Windows: len(a.ratios),
	}
	verdict := "left"
	switch {
	case a.check && kept:
		verdict, t.gain = "kept", ratio
	case a.check:
		t.now = t.from
		t.rescale(1 / ratio)
	case kept:
		verdict, t.now = "taken", a.to
		t.rescale(ratio)
	}
	if t.attempt = nil; a.check {
		d.From, d.To, d.Phase = d.To, d.From, "check"
		t.settle()
	} else {
		d.Phase, t.seen[a.to] = phases[t.phase], true
	}
	d.Reason = fmt.Sprintf("%s: %.2f times as fast over %s (noise %.0f %%): %s", change(d.From, d.To), ratio,
		counted(d.Windows, "window"), 100*noise, verdict)
	t.log = append(t.log, d)
}

// rescale multiplies the rates by the speed of the setting that has just come into force.
func (t *Tuner) rescale(ratio float64) {
	for i := range t.rates {
		t.rates[i] *= ratio
	}
	t.fresh = 0
}

func (t *Tuner) settle() { t.settled, t.fresh, t.off = true, 0, 0 }

// watch starts a new search after a lasting change of the load.
func (t *Tuner) watch() {
	switch {
	case !t.settled || t.fresh == 0:
	case t.fresh <= calmFor:
		t.rate = median(t.rates[max(0, len(t.rates)-t.fresh):])
	case math.Abs(t.rates[len(t.rates)-1]/t.rate-1) <= max(4*noise(t.rates), changedBy):
		t.off = 0
	default:
		if t.off++; t.off < changedFor || t.fresh < t.calm {
			return
		}
		if t.fresh > 4*t.calm {
			t.calm = calmFor
		}
		t.calm *= 2
		t.search(t.now) // the start's rate under this load is unknown
	}
}

// noise returns the standard deviation of a window's rate, as a fraction of it, by the median distance of windows from
// the ones before them: neither drift nor a single odd window makes it large. With few windows it is increased, since
// they may agree by chance, and with fewer than four it is a guess.
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

func count(values []float64, is func(float64) bool) (n int) {
	for _, v := range values {
		if is(v) {
			n++
		}
	}
	return n
}
