package termination

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/route"
)

// ordered makes a pass for each pebble of a chain, and in it goes through the stages of the links in their order. At
// stage s of pass d, both counted from 0, a rank that is idle as far as links up to stage s go ends phase d on its
// links of stage s, sends the receivers how many frames each has had, and waits until as many of phases up to d have
// been processed from each sender of stage s.
//
// Why that is enough. Say that a pebble that a body sent is of generation 1, and one that is sent when a pebble of
// generation g is handled of generation g+1; of a pebble that a cache merges from several, the highest. Claim: when a
// rank has ended stage s of pass d, it has processed all pebbles of generations up to d+1 that will ever come to it
// over a link of stage s. By induction over passes, and stages within them: look at the sender of such a link when it
// ends phase d on it. The pebbles of generations up to d+1 that will ever go over it come from its body; from handling
// pebbles of generations up to d, all of which it has processed, whatever link they came over, in the passes before; or
// they are passed on, and came over links of lower stages, for stages rise along every route: all of which it has
// processed, earlier in this pass. Now that it is idle they have left its buffers for stage s: they are in the frames
// that it counts.
//
// So when the last stage of pass n-1 has ended, with n the longest chain, the rank has processed all pebbles of all
// generations that will ever come to it. What it forwards it had received before it ended the stage of that link, and
// those that it handled in the last pass alone are of generation n, and cause nothing.
//
// There is no deadlock: a rank waits only for what others send at the same stage of the same pass, so one that is at
// the lowest stage of the lowest pass waits for no rank that is behind.
//
// Until a stage has come, what is for its links stays in buffers and caches: all that a rank passes on over a link
// leaves in one frame if it has room, and with a reduction that merges pebbles for one key the frames to its owner are
// a tree of P-1.
type ordered struct {
	visits []visit // the stages at which this rank has links, in order
	last   int     // the last stage
	visit  int
	at     progress
	opened bool
	seq    uint64
	pass   int
	passes int // of an epoch
	total  uint64
}

// visit is a stage, with the rank's links of that stage.
type visit struct {
	stage int
	links exchange
}

var (
	_ Keeper = (*ordered)(nil)
	_ Stager = (*ordered)(nil)
)

// Ordered sends what waits in buffers in the order of the links' stages, and ends them one by one (TRAM, section
// III.D). It needs a known depth and one topology, with stages, for all targets. Its verdict is about its rank alone.
//
// An epoch has Depth passes, each a round, in which a rank sends each of its out-neighbours one message of 8 bytes. On
// a hypercube an epoch of depth one costs a rank ⌈log2 P⌉ messages at the most, half of what [SKR] needs.
//
// A pebble may wait in a buffer until its sender's stage has come, which is when all those before it have ended their
// bodies: a body that waits for pebbles of others needs buffers that fall due by themselves.
func Ordered(s Site) (Detector, error) {
	if err := s.deep("ordered"); err != nil {
		return nil, err
	}
	t, err := s.staged("ordered")
	if err != nil {
		return nil, err
	}
	visits, err := visitsOf(t, s.Rank)
	if err != nil {
		return nil, err
	}
	return &ordered{visits: visits, last: t.Stages() - 1, passes: s.Depth}, nil
}

// orderedMessages: a message for each out-neighbour in each pass.
func orderedMessages(s Site, enough int) (int, error) {
	if err := s.deep("ordered"); err != nil {
		return 0, err
	}
	t, err := s.staged("ordered")
	if err != nil {
		return 0, err
	}
	return s.Depth * most(t, (enough-1)/s.Depth+1), nil
}

// visitsOf sorts a rank's links by stage.
func visitsOf(t route.Staged, rank int) ([]visit, error) {
	var visits []visit
	at := func(from, to int) (*exchange, error) {
		stage := t.Stage(from, to)
		if stage < 0 || stage >= t.Stages() {
			return nil, fmt.Errorf("termination: ordered cannot use topology %q: "+
				"it has the link from rank %d to rank %d at stage %d, and its stages are 0 to %d",
				t.Name(), from, to, stage, t.Stages()-1)
		}
		i, found := slices.BinarySearchFunc(visits, stage, func(v visit, stage int) int {
			return cmp.Compare(v.stage,
				stage)
		})
		if !found {
			visits = slices.Insert(visits, i, visit{stage: stage})
		}
		return &visits[i].links, nil
	}
	for _, to := range t.Neighbors(rank) {
		x, err := at(rank, to)
		if err != nil {
			return nil, err
		}
		x.out = append(x.out, to)
	}
	for _, from := range route.Incoming(t, rank) {
		x, err := at(from, rank)
		if err != nil {
			return nil, err
		}
		x.in = append(x.in, from)
	}
	return visits, nil
}

func (d *ordered) Name() string   { return "ordered" }
func (d *ordered) KeepsLedger()   {}
func (d *ordered) Rounds() uint64 { return d.total }
func (d *ordered) Begin()         { d.pass, d.visit = 0, 0 }

// Stage is the one that this rank is at; it passes over those at which it has no link.
func (d *ordered) Stage() int {
	if d.pass < d.passes && d.visit < len(d.visits) {
		return d.visits[d.visit].stage
	}
	return d.last
}

func (d *ordered) Step(n Network, s State) bool {
	atStage := s // Idle holds for the stage at which Step was called
	for d.pass < d.passes {
		if !d.opened {
			d.seq, d.opened = n.Open(), true
		}
		for ; d.visit < len(d.visits); d.visit++ {
			links := &d.visits[d.visit].links
			if !links.step(&d.at, n, d.seq, uint32(d.pass), atStage) {
				return false
			}
			atStage.Idle = false
		}
		d.visit, d.opened = 0, false
		d.pass++
		d.total++
	}
	return s.Idle // a single rank has no other to wait for
}
