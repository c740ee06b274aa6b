package engine

import (
	"fmt"
	"time"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/tune"
)

// Tuning says what a job changes of itself while it runs. Package pebble documents the fields.
type Tuning struct {
	May    Tunes
	Window time.Duration
	New    func(tune.Site) (Tuner, error)
}

// Tuner chooses settings, window by window, on rank 0.
type Tuner interface {
	Next() tune.Trial
	Saw(tune.Window)
}

// Setting is what a target is given when the job changes it. A target takes what its options leave open.
type Setting struct {
	Topology route.Constructor
	Name     string // of the topology; "" for the job's own
	Coalesce int    // pebbles a buffer
	Cache    int    // entries; 0 is none
}

// Tunes says what of a target may be changed.
type Tunes struct{ Topology, Coalesce, Cache bool }

func (t Tunes) any() bool { return t.Topology || t.Coalesce || t.Cache }

// and is what both allow.
func (t Tunes) and(o Tunes) Tunes {
	return Tunes{t.Topology && o.Topology, t.Coalesce && o.Coalesce, t.Cache && o.Cache}
}

// or is what either allows.
func (t Tunes) or(o Tunes) Tunes {
	return Tunes{t.Topology || o.Topology, t.Coalesce || o.Coalesce, t.Cache || o.Cache}
}

// tuning is a rank's part in the tuning of its job.
type tuning struct {
	may    Tunes
	window time.Duration // at the least
	own    string        // what the tuner knows the job's own topology by
	now    tune.Setting
	given  int // targets[:given] have it
	left   int // epochs of this window that have yet to begin

	epochs  int           // of this window, so far
	spent   time.Duration // in them
	started time.Duration // the running epoch
	sent    uint64        // pebbles before this window

	order  uint64 // the last one of this epoch that this rank has followed, as within.go has them
	lead   lead   // of rank 0
	within within // of rank 0
}

// lead is what rank 0 decides by.
type lead struct {
	tuner  Tuner
	epochs int           // of a window
	pinned int           // the factor that was found within epochs; 0 when it is for the tuner to choose
	lost   time.Duration // at the end of the last window
	cost   time.Duration // of an end, the mean of the last few
}

func newTuning(c *Config, ranks int) *tuning {
	if c.Tuning == nil {
		return nil
	}
	window := c.Tuning.Window
	if window <= 0 {
		window = windowDefault
	}
	own := nameOf(c.Topology, ranks)
	return &tuning{
		may: c.Tuning.May, window: window, own: own, now: tune.Setting{Topology: own, Coalesce: c.Coalesce, Cache: c.Cache}, lead: lead{epochs: 1},
	}
}

// nameOf is the name of a topology. One that can't be for so many ranks is refused with the first target.
func nameOf(c route.Constructor, ranks int) (name string) {
	defer func() {
		if recover() != nil {
			name = "impossible"
		}
	}()
	return c(ranks).Name()
}

// retune takes part in the choice of what the next window runs with, when one is over. It comes before an epoch, on all ranks.
func (r *Rank) retune(p Plan) error {
	t := r.tuning
	if t == nil {
		return nil
	}
	if t.left == 0 {
		site := r.tuningSite()
		site.Holds = func(topology string) bool { return r.holds(topology, p) }
		if !site.Topology && !site.Coalesce && !site.Cache {
			return nil // on all ranks alike
		}
		begin, first := r.Now(), t.epochs == 0
		seen, err := r.windowOfAll()
		if err != nil {
			return err
		}
		if err := r.follow(seen, site); err != nil {
			return err
		}
		if !first { // when ranks don't come from an epoch together, and wait for those that start late
			t.lead.paid(r.Now() - begin)
		}
	}
	t.left--
	return r.give()
}

// give hands the setting to the targets that don't have it yet.
func (r *Rank) give() error {
	t := r.tuning
	if t.given == len(r.targets) {
		return nil
	}
	s := Setting{Topology: r.job.config.Topology, Coalesce: t.now.Coalesce, Cache: t.now.Cache}
	if t.now.Topology != t.own {
		made, err := route.ByName(t.now.Topology)
		if err != nil {
			return fmt.Errorf("pebble: rank %d: tuning: %w", r.id, err)
		}
		s.Topology, s.Name = made, t.now.Topology
	}
	for _, target := range r.targets[t.given:] {
		target.endpoint.Retune(s)
	}
	t.given = len(r.targets)
	return nil
}

// ended notes the end of an epoch. A window within it ends with it, and tells nothing.
func (t *tuning) ended(now time.Duration) {
	t.epochs++
	t.spent += now - t.started
	t.within.started = 0
}

// holds tells whether an epoch could be ended over another topology.
func (r *Rank) holds(topology string, p Plan) bool {
	made, err := route.ByName(topology)
	if err != nil {
		return false
	}
	maker := p.Detector
	if maker == nil {
		maker = r.job.config.Termination
	}
	_, err = maker(r.site(p.Depth, made(r.Size())))
	return err == nil
}

// windowOfAll puts the windows of all ranks together, for rank 0.
func (r *Rank) windowOfAll() (tune.Window, error) {
	t := r.tuning
	w := tune.Window{Work: float64(r.Count.PebblesSent - t.sent), Seconds: t.spent.Seconds()}
	first := t.epochs == 0
	t.epochs, t.spent, t.sent = 0, 0, r.Count.PebblesSent
	if first {
		return tune.Window{}, nil
	}
	result, err := r.networks[windows].run(collective.Reduce(r.id, r.Size(), 0), layout.Bytes(&w), joinWindows)
	if err != nil {
		return w, err
	}
	return layout.Get[tune.Window](result), nil
}

func joinWindows(into, from []byte) {
	layout.Set(into, layout.Get[tune.Window](into).Join(layout.Get[tune.Window](from)))
}

// follow takes over what rank 0 has chosen.
func (r *Rank) follow(seen tune.Window, site tune.Site) (err error) {
	var o order
	if r.id == 0 {
		if o, err = r.choose(seen, site); err != nil {
			return err
		}
	}
	value, err := r.networks[settings].run(r.spread(), o.bytes(), nil)
	if err != nil {
		return err
	}
	if len(value) < orderBytes {
		return fmt.Errorf("pebble: rank %d: tuning: rank 0 sent an order of %d bytes, it has %d at least", r.id, len(value), orderBytes)
	}
	t := r.tuning
	o = orderOf(value)
	why := o.wrong()
	if why == "" && o.epochs == 0 {
		why = "its order is for no epoch"
	}
	if why != "" {
		return fmt.Errorf("pebble: rank %d: tuning: rank 0 sent what can't be followed: %s", r.id, why)
	}
	t.left = o.epochs
	if o.setting == t.now && t.order == 0 {
		return nil
	}
	if o.setting.Topology != t.now.Topology {
		r.detectorFor = detectorFor{} // which goes by the topology
	}
	t.now, t.given, t.order = o.setting, 0, 0
	return nil
}

const (
	windowDefault = 10 * time.Millisecond
	windowMost    = 4 // times its least
	growthMost    = 8 // times the last one
	calmWindows   = 10
	worthItsEnd   = 50 // a window is so many times as long as what its end costs
)

// paid notes what the end of a window has cost.
func (l *lead) paid(cost time.Duration) {
	const few = 4
	l.lost = cost
	if l.cost == 0 {
		l.cost = cost
	}
	l.cost += (cost - l.cost) / few
}

// choose is rank 0's: it tells the tuner of the last window, and asks for the next.
func (r *Rank) choose(seen tune.Window, site tune.Site) (o order, err error) {
	t := r.tuning
	l := &t.lead
	if found := t.within.found(); found != l.pinned {
		l.pinned, l.tuner = found, nil // windows with experiments of another tuner say little
		site.Start.Coalesce, site.Coalesce = found, false
	}
	if l.tuner == nil {
		if l.tuner, err = r.newTuner(site); err != nil {
			return o, err
		}
	} else {
		seen.Overhead = l.lost.Seconds()
		l.tuner.Saw(seen)
		l.lengthen(time.Duration(seen.Seconds*float64(time.Second)), max(t.window*l.calm(), worthItsEnd*l.cost))
	}
	return order{epochs: l.epochs, setting: l.tuner.Next().Setting}, nil
}

// calm is how many times as long windows are once nothing is left to try.
func (l *lead) calm() time.Duration {
	if t, ok := l.tuner.(interface{ Settled() bool }); ok && t.Settled() {
		return calmWindows
	}
	return 1
}

// lengthen fits the number of epochs of a window to how long the last one took.
func (l *lead) lengthen(took, least time.Duration) {
	switch {
	case took < least:
		l.epochs = min(l.epochs*int(min(max(least/max(took, 1), 2), growthMost)), 1<<20)
	case took > windowMost*least:
		l.epochs = max(l.epochs/2, 1)
	}
}

func (r *Rank) newTuner(site tune.Site) (Tuner, error) {
	t, err := r.job.config.Tuning.New(site)
	if err != nil {
		return nil, fmt.Errorf("pebble: rank %d: tuning: %w", r.id, err)
	}
	return t, nil
}

// tuningSite describes the job and its targets to a tuner.
func (r *Rank) tuningSite() tune.Site {
	t, c := r.tuning, r.job.config
	s := tune.Site{
		Ranks: r.Size(), Processes: r.Place().Processes, Transport: r.Transport(), Room: c.MemoryLimit,
		Start: t.now,
	}
	var open Tunes
	for _, d := range r.targets {
		may := d.description.Tunes.and(t.may)
		open = open.or(may)
		if may.any() {
			s.PebbleBytes = max(s.PebbleBytes, d.description.Pebble)
		}
	}
	s.Topology, s.Coalesce, s.Cache = open.Topology, open.Coalesce, open.Cache
	return s
}

// Tuned is the setting in force, and the tuners that chose it: that between epochs and, if there is one, that within. It is for rank 0,
// between epochs.
func (r *Rank) Tuned() (now tune.Setting, tuners []Tuner) {
	if r.tuning == nil || r.id != 0 || r.tuning.lead.tuner == nil {
		return now, nil
	}
	return r.tuning.now, []Tuner{r.tuning.lead.tuner, r.tuning.within.tuner}
}
