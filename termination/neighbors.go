package termination

import "github.com/activepebbles/pebbles/route"

// neighbors takes a round for each level, as pcx does, but counts by link: in round k an idle rank ends phase k on all
// its links, sends each out-neighbour the number of frames created for it so far, and waits until it has processed as
// many frames, of phases up to k, from each in-neighbour as that one has reported.
//
// This is enough: a rank waits for the same frames as in pcx, counted by each sender instead of added up; so the proof
// is the same. It needs only the messages between neighbours: a rank is at most one round ahead of its in-neighbours,
// and h rounds ahead of any other if no route has more than h hops. An epoch has at least h rounds, so when a rank has
// ended it, every body has returned, which follows from rank to rank.
type neighbors struct {
	links  exchange
	at     progress
	opened bool
	seq    uint64
	round  int
	rounds int // of an epoch
	total  uint64
}

var _ Keeper = (*neighbors)(nil)

// Neighbors is [PCX] among the few ranks that the topology links (Active Pebbles, section 3.6.2). It needs a known
// depth, routes of known length, and one topology for all targets. Its verdict is about its rank alone.
//
// An epoch has Depth × Hops rounds. In each, a rank sends each of its out-neighbours a message of 8 bytes.
func Neighbors(s Site) (Detector, error) {
	rounds, err := s.levels("pcx-neighbors")
	if err != nil {
		return nil, err
	}
	t, err := s.shared("pcx-neighbors")
	if err != nil {
		return nil, err
	}
	return &neighbors{links: exchange{out: t.Neighbors(s.Rank), in: route.Incoming(t, s.Rank)}, rounds: rounds}, nil
}

// neighborsMessages counts the messages: one for each out-neighbour in each round.
func neighborsMessages(s Site, enough int) (int, error) {
	rounds, err := s.levels("pcx-neighbors")
	if err != nil {
		return 0, err
	}
	t, err := s.shared("pcx-neighbors")
	if err != nil {
		return 0, err
	}
	return rounds * most(t, (enough-1)/rounds+1), nil
}

func (d *neighbors) Name() string   { return "pcx-neighbors" }
func (d *neighbors) KeepsLedger()   {}
func (d *neighbors) Rounds() uint64 { return d.total }
func (d *neighbors) Begin()         { d.round = 0 }

func (d *neighbors) Step(n Network, s State) bool {
	for d.round < d.rounds {
		if !d.opened {
			d.seq, d.opened = n.Open(), true
		}
		if !d.links.step(&d.at, n, d.seq, uint32(d.round), s) {
			return false
		}
		d.opened = false
		d.round++
		d.total++
	}
	return s.Idle // a single rank has no other to wait for
}
