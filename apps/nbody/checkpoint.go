package nbody

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// restore goes on from the newest checkpoint, if there is one. source is the distribution by which the ranks have read
// the bodies.
func (b *bench) restore(source *distribution.BlockMap) error {
	c, p := b.config, b.part
	input, err := apps.Inputs(b.rank, []string{c.Source.Name()})
	if err != nil {
		return err
	}
	_, err = b.steps.Restore(b.rank, "nbody", c.Seed, input,
		checkpoint.Argument("system", c.Source.Name()), checkpoint.Argument("step", c.Step),
		checkpoint.Argument("theta", c.Theta), checkpoint.Argument("order", c.Order),
		checkpoint.Argument("bucket", c.Bucket), checkpoint.Argument("rungs", c.Rungs),
		checkpoint.Argument("eta", c.Eta),
		checkpoint.Slice("bodies", holders{source, p}, &p.bodies), checkpoint.Value("start", &b.start),
		checkpoint.Value("astray", &b.astray), checkpoint.PerRank("counts", &p.counts, plusCounts),
		checkpoint.PerRank("asked", &b.walks.asked, pebble.Sum),
		checkpoint.PerRank("shared", &b.walks.shared, pebble.Sum),
		checkpoint.PerRank("gravity", &b.gravity, pebble.Max))
	if err == nil {
		err = b.steps.Within(c.Steps+1, "steps, the first forces included")
	}
	return err
}

func plusCounts(a, b gravity.Counts) gravity.Counts {
	a.Add(b)
	return a
}

// holders is the distribution of bodies by their numbers: in a save, of those that have come to a rank's pieces of the
// curve; at a restart, of those that the rank has read, in order.
type holders struct {
	*distribution.BlockMap
	part *part
}

// Key implements distribution.Indexed, for bodies of this rank.
func (h holders) Key(_, local int) uint64 { return uint64(h.part.bodies[local].number) }

// LocalLen implements distribution.Indexed, for this rank.
func (h holders) LocalLen(int) int { return len(h.part.bodies) }
