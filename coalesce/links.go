package coalesce

import (
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Links are the links of a target's lanes. The credit of a link bounds the rank's frames in flight on it: frames handed
// to the transport that their receiver has not yet handled. A frame without credit waits in its lane's backlog. The
// main function waits with it. Hops and handlers can't wait. So over a topology with stages a rank takes in no frame
// that could add to the backlog of a higher stage: docs/guide-network.md shows why this can't deadlock.
type Links struct {
	sender   *Sender
	credits  int64                  // most frames in flight on a link
	accounts map[int]*netio.Account // by rank, for all topologies
	inFlight []*netio.Account       // by lane
	Launched uint64                 // frames that have left lanes or joined a backlog
	sent     []uint32               // by lane: frames that have left it; it wraps
	backlogs []netio.Frames         // by lane: frames that wait for credit, oldest first; nil until the first one waits
	waiting  []int                  // lanes with a backlog
	staged   route.Staged           // nil when the topology has no order
	stages   []int32                // by lane, when staged
	highest  int                    // highest stage of a lane with a backlog; -1 for none
}

// open gives each lane the account of its rank, and its stage. Accounts outlive topologies.
func (k *Links) open(s *Sender, t route.Topology, plan *route.Plan, frameBytes int) {
	lanes, accounts := plan.Lanes, k.accounts
	if accounts == nil {
		accounts = make(map[int]*netio.Account, len(lanes))
	}
	*k = Links{
		sender: s, credits: int64(s.Credits(frameBytes)), accounts: accounts,
		inFlight: make([]*netio.Account, len(lanes)), Launched: k.Launched, sent: make([]uint32, len(lanes)), highest: -1,
	}
	fresh := make([]netio.Account, len(lanes))
	for l, rank := range lanes {
		if accounts[rank] == nil {
			accounts[rank] = &fresh[l]
			s.Pool.Own(&fresh[l])
		}
		k.inFlight[l] = accounts[rank]
	}
	staged, ok := t.(route.Staged)
	if !ok {
		return
	}
	k.staged, k.stages = staged, make([]int32, len(lanes))
	for l, rank := range lanes {
		k.stages[l] = -1 // no link leads to the rank itself
		if l != plan.Self {
			k.stages[l] = int32(staged.Stage(s.Rank, rank))
		}
	}
}

// Close ends sending. Frames in flight still come back.
func (k *Links) Close() {
	for _, a := range k.accounts {
		k.sender.Pool.Leave(a)
	}
}

// Waits reports whether a lane has a backlog.
func (k *Links) Waits(l int) bool { return k.backlogs != nil && !k.backlogs[l].Empty() }

// AnyWaits reports whether any lane has a backlog.
func (k *Links) AnyWaits() bool { return len(k.waiting) > 0 }

// hasCredit reports whether a frame can leave on a lane now.
func (k *Links) hasCredit(l int) bool {
	if k.inFlight[l].InFlight() < k.credits {
		return true
	}
	k.sender.Pool.Collect()
	return k.inFlight[l].InFlight() < k.credits
}

// charge takes credit of a lane for a frame, and reports whether the lane had any.
func (k *Links) charge(l int, f *netio.Frame) bool {
	if f.ChargeWithin(k.inFlight[l], k.credits) {
		return true
	}
	k.sender.Pool.Collect()
	return f.ChargeWithin(k.inFlight[l], k.credits)
}

// stage returns the stage of a lane's link; 0 when the topology has none.
func (k *Links) stage(l int) int {
	if k.stages == nil {
		return 0
	}
	return int(k.stages[l])
}

// FlushesCaches reports whether a flush up to a stage empties caches too: the flush covers all stages, or a lane's link
// has that very stage. Until then pebbles may still arrive that can be merged.
func (k *Links) FlushesCaches(stage int) bool {
	if stage == AllStages || k.stages == nil {
		return true
	}
	for _, s := range k.stages {
		if int(s) == stage {
			return true
		}
	}
	return false
}

// sendOrQueue hands a sealed frame to the transport, or puts it into the backlog.
func (k *Links) sendOrQueue(l int, f *netio.Frame) {
	k.sent[l]++
	k.Launched++
	inTask := k.sender.HoldFrames
	if !inTask && !k.Waits(l) && k.charge(l, f) {
		k.sender.transmit(f)
		return
	}
	if k.backlogs == nil {
		k.backlogs = make([]netio.Frames, len(k.inFlight))
	}
	if k.backlogs[l].Empty() {
		k.waiting = append(k.waiting, l)
		k.highest = max(k.highest, k.stage(l))
	}
	k.backlogs[l].Push(f)
	k.sender.Backlog++
	if !inTask {
		k.sender.Count.CreditWaits++
	}
}

// pump sends frames of the backlog as far as credit allows.
func (k *Links) pump() {
	still := k.waiting[:0]
	k.highest = -1
	for _, l := range k.waiting {
		for k.Waits(l) && k.charge(l, k.backlogs[l].First()) {
			k.sender.transmit(k.shift(l))
		}
		if k.Waits(l) {
			still = append(still, l)
			k.highest = max(k.highest, k.stage(l))
		}
	}
	k.waiting = still
}

// shift takes the oldest frame out of a lane's backlog.
func (k *Links) shift(l int) *netio.Frame {
	k.sender.Backlog--
	return k.backlogs[l].Shift()
}

// Accepts reports whether a frame can be taken in now. A frame that came over a link of stage s continues over links of
// higher stages only, so it is taken in unless one of those has a backlog. A topology without stages has no such order:
// Accepts always returns true.
func (k *Links) Accepts(f *netio.Frame) bool {
	if k.highest <= 0 || k.staged == nil {
		return true
	}
	return k.staged.Stage(int(f.From), k.sender.Rank) >= k.highest
}

// IsLastStage reports whether all routes over the link that brought a frame end here.
func (k *Links) IsLastStage(f *netio.Frame) bool {
	rank := k.sender.Rank
	return k.staged != nil && int(f.From) != rank && k.staged.Stage(int(f.From), rank) == k.staged.Stages()-1
}

// AllReleased reports whether the receivers have handled all frames sent.
func (k *Links) AllReleased() bool {
	k.sender.Pool.Collect()
	for _, a := range k.inFlight {
		if a.InFlight() != 0 {
			return false
		}
	}
	return true
}
