package nbody

import (
	"math"
	"slices"
	"time"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/pebble"
)

// verify sums the counts of all ranks, and adds the errors to the result.
func (b *bench) verify(r *Result) error {
	if err := b.collect(r); err != nil {
		return err
	}
	if err := r.FoundOnce(b.rank, b.astray,
		"steps went wrong: not all particles were there afterwards"); err != nil {
		return err
	}
	if err := r.Found(b.rank, b.walks.lost, "walks went wrong: they waited in vain"); err != nil {
		return err
	}
	if err := b.sample(r); err != nil {
		return err
	}
	return b.compare(r)
}

// seen is the counts of a rank.
type seen struct {
	gravity.Counts
	Asked, Shared uint64
	Gravity       time.Duration
}

func (s seen) plus(o seen) seen {
	s.Add(o.Counts)
	return seen{s.Counts, s.Asked + o.Asked, s.Shared + o.Shared, max(s.Gravity, o.Gravity)}
}

// collect sets the fields of the result.
func (b *bench) collect(r *Result) error {
	end, err := pebble.AllReduce(b.rank, b.part.totals(), totals.plus)
	if err != nil {
		return err
	}
	s, err := pebble.AllReduce(b.rank, seen{b.part.counts, b.walks.asked, b.walks.shared, b.gravity}, seen.plus)
	if err != nil {
		return err
	}
	r.count(b.start, end, s.Counts)
	// A requested cell is opened when it has arrived, once for each walk that waited.
	r.Requests, r.SharedWaits, r.CacheHits = s.Asked, s.Shared, s.Hits-min(s.Asked+s.Shared, s.Hits)
	r.Gravity = s.Gravity.Seconds()
	r.PerSecond = apps.Rate(float64(r.Interactions), r.Seconds)
	if !b.config.List {
		return nil
	}
	of, err := pebble.GatherSlice(b.rank, 0, b.part.bodies)
	if err == nil && b.rank.ID() == 0 {
		r.list(slices.Concat(of...))
	}
	return err
}

// probe is a body whose force is compared with direct sums.
type probe struct {
	At     gravity.Vector
	Soft   float64
	Acc    gravity.Vector
	Number uint32
}

// Limits of the errors of forces: the least exact configurations have a tenth of them.
const (
	medianMost = 0.1
	worstMost  = 0.5
)

// forcesAtOnce is the number of forces summed over all ranks together.
const forcesAtOnce = 32

// sample compares the forces on some bodies with direct sums over all.
func (b *bench) sample(r *Result) error {
	n := min(max(b.config.Sample, 0), r.Particles)
	if n == 0 {
		return nil
	}
	var own []probe
	for i := range b.part.bodies {
		x := &b.part.bodies[i]
		if at := uint64(x.number) * uint64(n); at%uint64(r.Particles) < uint64(n) {
			own = append(own, probe{x.Pos, x.Soft, x.Acc, x.number})
		}
	}
	of, err := pebble.AllGatherSlice(b.rank, own)
	if err != nil {
		return err
	}
	b.part.prepare() // positions are those of the last walk
	var errors []float64
	for some := range slices.Chunk(slices.Concat(of...), forcesAtOnce) {
		var forces [forcesAtOnce]gravity.Force
		for i, p := range some {
			self := slices.IndexFunc(b.part.bodies, func(x body) bool { return x.number == p.Number })
			forces[i] = gravity.Direct(p.At, p.Soft, b.part.builder.Sources, self)
		}
		b.rank.Compute(time.Duration(len(some)*len(b.part.bodies)) * perParticle)
		sums, err := pebble.AllReduce(b.rank, forces, func(a, b [forcesAtOnce]gravity.Force) [forcesAtOnce]gravity.Force {
			for i := range a {
				a[i] = gravity.Force{Acc: a[i].Acc.Plus(1, b[i].Acc), Phi: a[i].Phi + b[i].Phi}
			}
			return a
		})
		if err != nil {
			return err
		}
		for i, p := range some {
			errors = append(errors, errorOf(p.Acc, sums[i].Acc))
		}
	}
	if len(errors) == 0 {
		return nil
	}
	slices.Sort(errors)
	r.Sample, r.ErrorMedian, r.Error99 = len(errors), errors[len(errors)/2], errors[len(errors)*99/100]
	wrong := uint64(0)
	if !(r.ErrorMedian <= medianMost) || !(r.Error99 <= worstMost) {
		wrong = 1
	}
	return r.FoundOnce(b.rank, wrong, "sample of forces went wrong: they are not those of direct sums")
}

// errorOf returns the relative error of an acceleration.
func errorOf(got, want gravity.Vector) float64 {
	d := got.Plus(-1, want)
	if off := d.Dot(d); off > 0 {
		return math.Sqrt(off / want.Dot(want))
	}
	return 0
}

// compare compares the result with the serial twin's, which rank 0 runs.
func (b *bench) compare(r *Result) error {
	r.Twin = b.config.Twin || uint64(r.Particles)*uint64(r.Steps+1) <= twinMost
	return r.Compare(b.rank, r.Twin, func() (uint64, error) {
		c := b.config
		c.List = false
		twin, err := Serial(c)
		return apart(*r, twin), err
	})
}

// apart returns the number of differing results of two runs: particles and counts are compared to the last bit,
// energies within the differences of sums in another order.
func apart(a, b Result) (n uint64) {
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-11*max(math.Abs(x), math.Abs(y)) }
	return apps.Differ(a.Checksum == b.Checksum, a.WithCells == b.WithCells, a.WithOthers == b.WithOthers,
		near(a.EnergyStart, b.EnergyStart), near(a.EnergyEnd, b.EnergyEnd))
}
