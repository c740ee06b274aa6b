package termination

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/route"
)

// ordered makes a pass for each pebble of a chain, and in it visits the stages of the links in their order. At stage s
// of pass d, both counted from 0, a rank that is idle for links up to stage s ends phase d on its links of stage s,
// sends each receiver the number of its frames, and waits until it has processed as many frames, of phases up to d,
// from each sender of stage s as that one has reported.
//
// This is enough. Let a pebble that a body sent be of generation 1, and one that is sent when a pebble of generation g
// is handled be of generation g+1; a pebble that a cache merges from several has the highest. Claim: when a rank has
// ended stage s of pass d, it has processed all pebbles of generations up to d+1 that will ever come to it over a link
// of stage s. Proof by induction over passes, and stages within them: consider the sender of such a link when it ends
// phase d on it. The pebbles of generations up to d+1 that will ever go over it have three origins. Some come from its
// body. Some come from handling pebbles of generations up to d: it has processed all of these, over any link, in the
// passes before. Some are passed on, and came over links of lower stages, since stages rise along every route: it has
// processed all of these, earlier in this pass. Since the rank is now idle, they have left its buffers for stage s:
// they are in the frames that it counts.
//
// So when the last stage of pass n-1 has ended, with n the longest chain, the rank has processed all pebbles of all
// generations that will ever come to it. It received the pebbles that it forwards before it ended the stage of their
// link. Those that it handled in the last pass alone are of generation n, and cause nothing.
//
// Deadlock is impossible: a rank waits only for messages that others send at the same stage of the same pass, so one at
// the lowest stage of the lowest pass waits for no rank behind it.
//
// Until a stage begins, the pebbles for its links stay in buffers and caches: all that a rank passes on over a link
// leaves in one frame if it fits. With a reduction that merges pebbles for one key, the frames to its owner form a tree
// of P-1.
type ordered struct {
	visits []visit // the stages with links of this rank, in order
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

// Ordered sends waiting buffers in the order of the links' stages, and ends the stages one by one (TRAM, section
// III.D). It needs a known depth and one topology, with stages, for all targets. Its verdict is about its rank alone.
//
// An epoch has Depth passes, each a round; in each, a rank sends each of its out-neighbours one message of 8 bytes. On
// a hypercube, an epoch of depth one costs a rank at most ⌈log2 P⌉ messages, half of the cost of [SKR].
//
// A pebble may wait in a buffer until its sender's stage begins: when all ranks before it have ended their bodies. So a
// body that waits for pebbles of others needs buffers that fall due.
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

// orderedMessages counts the messages: one for each out-neighbour in each pass.
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

// Stage returns this rank's stage; it skips those without a link of this rank.
func (d *ordered) Stage() int {
	if d.pass < d.passes && d.visit < len(d.visits) {
		return d.visits[d.visit].stage
	}
	return d.last
}

func (d *ordered) Step(n Network, s State) bool {
	atStage := s // s.Idle is about the stage of this call: at later ones the rank counts as busy
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
