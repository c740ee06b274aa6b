package engine

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/internal/layout"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/tune"
)

// Tuning is the set of settings that a job changes while it runs, and the tuner, on rank 0.
type Tuning struct {
	May   Tunes
	Tuner *tune.Schedule
}

// Setting is a setting that the job gives its targets. A target takes the parts that its options leave open.
type Setting struct {
	Topology route.Constructor
	Name     string // of the topology; "" for the job's own
	Coalesce int    // pebbles per buffer
	Cache    int    // entries; 0 is none
}

// Tunes is the set of a target's settings that may change.
type Tunes struct{ Topology, Coalesce, Cache bool }

// tuning is a rank's part in the tuning of its job. Rank 0 calls the tuner, and all ranks follow its orders.
type tuning struct {
	*Tuning
	caller            *caller
	sender            *coalesce.Sender
	targets           *targets
	detection         *detection
	windows, settings *network

	own   string // the tuner's name for the job's own topology
	now   tune.Setting
	given int // targets[:given] have it
	left  int // epochs of this window that have not begun

	epochs  int           // epochs of this window so far
	spent   time.Duration // in them
	started time.Duration // the running epoch
	sent    uint64        // pebbles before this window
}

func newTuning(r *Rank, c *Config) *tuning {
	own := "impossible" // for this number of ranks: refused with the first target
	func() {
		defer func() { _ = recover() }()
		own = c.Topology(r.Size()).Name()
	}()
	return &tuning{
		Tuning: c.Tuning, caller: &r.caller, sender: &r.Sender, targets: &r.Targets, detection: &r.Detection,
		windows: &r.Collectives.networks[windows], settings: &r.Collectives.networks[settings],
		own: own, now: tune.Setting{Topology: own, Coalesce: c.Coalesce, Cache: c.Cache},
	}
}

// before takes part in the choice of the next window's settings, if a window is over.
func (t *tuning) before(p Plan) error {
	if t.left == 0 {
		site := t.site()
		site.Holds = func(topology string) bool { return t.holds(topology, p) }
		if !site.Topology && !site.Coalesce && !site.Cache {
			return nil // equal on all ranks
		}
		begin, first := t.clock(), t.epochs == 0
		seen, err := t.windowOfAll()
		if err == nil {
			err = t.follow(seen, site)
		}
		if err != nil {
			return err
		}
		if t.caller.id == 0 && !first { // at first, ranks don't come from an epoch together, and wait for late ones
			t.Tuner.Paid(t.clock() - begin)
		}
	}
	t.left--
	return t.give()
}

func (t *tuning) clock() time.Duration { return t.sender.Port.Now() }

// give gives the setting to the targets that don't have it yet.
func (t *tuning) give() error {
	if t.given == len(t.targets.all) {
		return nil
	}
	s := Setting{Topology: t.caller.Job.config.Topology, Coalesce: t.now.Coalesce, Cache: t.now.Cache}
	if t.now.Topology != t.own {
		made, err := route.ByName(t.now.Topology)
		if err != nil {
			return fmt.Errorf("pebble: rank %d: tuning: %w", t.caller.id, err)
		}
		s.Topology, s.Name = made, t.now.Topology
	}
	for _, target := range t.targets.all[t.given:] {
		target.endpoint.Retune(s)
	}
	t.given = len(t.targets.all)
	return nil
}

// freed records that the target with an index was freed.
func (t *tuning) freed(at int) {
	if at < t.given {
		t.given--
	}
}

// begun records the start of an epoch.
func (t *tuning) begun() { t.started = t.clock() }

// ended records the end of an epoch.
func (t *tuning) ended() {
	t.epochs++
	t.spent += t.clock() - t.started
}

// holds reports whether an epoch can end over another topology.
func (t *tuning) holds(topology string, p Plan) bool {
	made, err := route.ByName(topology)
	if err != nil {
		return false
	}
	_, err = t.detection.maker(p)(t.detection.site(p.Depth, made(t.caller.Size())))
	return err == nil
}

// windowOfAll combines the windows of all ranks, for rank 0.
func (t *tuning) windowOfAll() (tune.Window, error) {
	w := tune.Window{Work: float64(t.sender.Count.PebblesSent - t.sent), Seconds: t.spent.Seconds()}
	first := t.epochs == 0
	t.epochs, t.spent, t.sent = 0, 0, t.sender.Count.PebblesSent
	if first {
		return tune.Window{}, nil
	}
	result, err := t.windows.run(collective.Reduce(t.caller.id, t.caller.Size(), 0), layout.Bytes(&w),
		func(into, from []byte) {
			layout.Set(into, layout.Get[tune.Window](into).Join(layout.Get[tune.Window](from)))
		})
	if err != nil {
		return w, err
	}
	return layout.Get[tune.Window](result), nil
}

// follow applies the choice of rank 0.
func (t *tuning) follow(seen tune.Window, site tune.Site) (err error) {
	var o order
	if t.caller.id == 0 {
		if o.setting, o.epochs, err = t.Tuner.Between(seen, site); err != nil {
			return fmt.Errorf("pebble: rank %d: tuning: %w", t.caller.id, err)
		}
	}
	value, err := t.settings.run(collective.Broadcast(t.caller.id, t.caller.Size(), 0), o.bytes(), nil)
	if err != nil {
		return err
	}
	if len(value) < orderBytes {
		return fmt.Errorf("pebble: rank %d: tuning: rank 0 sent an order of %d bytes, it has %d at least", t.caller.id,
			len(value), orderBytes)
	}
	o = orderOf(value)
	if why := o.wrong(); why != "" {
		return fmt.Errorf("pebble: rank %d: tuning: rank 0 sent an invalid setting: %s", t.caller.id, why)
	}
	t.left = o.epochs
	if o.setting == t.now {
		return nil
	}
	if o.setting.Topology != t.now.Topology {
		t.detection.detectorFor = detectorFor{} // depends on the topology
	}
	t.now, t.given = o.setting, 0
	return nil
}

// site describes the job and its targets to a tuner.
func (t *tuning) site() tune.Site {
	s := tune.Site{
		Ranks: t.caller.Size(), Processes: t.caller.team.place.Processes, Transport: t.caller.Job.Transport(),
		Room:  t.sender.MemoryLimit,
		Start: t.now,
	}
	job := t.May
	for _, one := range t.targets.all {
		open := one.description.Tunes
		topology, factor, cache := open.Topology && job.Topology, open.Coalesce && job.Coalesce, open.Cache && job.Cache
		if topology || factor || cache {
			s.PebbleBytes = max(s.PebbleBytes, one.description.Pebble)
		}
		s.Topology, s.Coalesce, s.Cache = s.Topology || topology, s.Coalesce || factor, s.Cache || cache
	}
	return s
}

// order is the message of rank 0 that sets the next epochs of all ranks.
type order struct {
	epochs  int
	setting tune.Setting
}

func (o order) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(o.epochs))
	b = binary.LittleEndian.AppendUint64(b, uint64(o.setting.Coalesce))
	b = binary.LittleEndian.AppendUint64(b, uint64(o.setting.Cache))
	return append(b, o.setting.Topology...)
}

// orderBytes is the length of an order with an empty name of a topology.
const orderBytes = 24

// orderOf decodes an order from b, which has at least orderBytes.
func orderOf(b []byte) order {
	number := func(i int) int { return int(binary.LittleEndian.Uint64(b[8*i:])) }
	return order{number(0), tune.Setting{Topology: string(b[orderBytes:]), Coalesce: number(1), Cache: number(2)}}
}

// wrong returns the reason why an order of another process can't be followed; "" if it can.
func (o order) wrong() string {
	switch {
	case o.epochs < 1 || o.epochs > math.MaxUint32:
		return fmt.Sprintf("its order is for %d epochs", o.epochs)
	case o.setting.Coalesce <= 0 || o.setting.Coalesce > math.MaxInt32:
		return fmt.Sprintf("its order has a coalescing factor of %d: a buffer holds at least one pebble",
			o.setting.Coalesce)
	case o.setting.Cache < 0:
		return fmt.Sprintf("its order has a cache of %d entries", o.setting.Cache)
	}
	return ""
}
