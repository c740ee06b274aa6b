package coalesce

import (
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// Credit bounds what a rank has in flight on each of its lanes: frames handed to the transport and not yet handled by their
// receiver. A frame without credit waits in its lane's backlog. The main function waits with it; what hops and handlers
// send can't wait, so a rank whose backlog is not empty takes in no frame that would add to it: docs/guide-network.md shows
// why that can't deadlock.

// openCredit gives each lane the account of its rank, and its stage.
func (o *Outbox) openCredit(t route.Topology) {
	s, lanes := o.sender, o.Plan.Lanes
	o.credits, o.highest = int64(s.Credits(o.MaxUnits*o.Unit)), -1
	o.underWay = make([]*netio.Account, len(lanes))
	fresh := make([]netio.Account, len(lanes))
	if o.accounts == nil {
		o.accounts = make(map[int]*netio.Account, len(lanes))
	}
	for l, rank := range lanes {
		if o.accounts[rank] == nil {
			o.accounts[rank] = &fresh[l]
			s.Pool.Own(&fresh[l])
		}
		o.underWay[l] = o.accounts[rank]
	}
	staged, ok := t.(route.Staged)
	if !ok {
		return
	}
	o.staged = staged
	o.stages = make([]int32, len(lanes))
	for l, rank := range lanes {
		o.stages[l] = -1 // the rank itself is behind no link
		if l != o.Plan.Self {
			o.stages[l] = int32(staged.Stage(s.Rank, rank))
		}
	}
}

// hasCredit tells whether a frame can leave on a lane.
func (o *Outbox) hasCredit(l int) bool {
	return o.underWay[l].UnderWay() < o.credits || o.hasCreditBack(l)
}

// hasCreditBack is hasCredit for a lane whose account must be brought up to date first.
func (o *Outbox) hasCreditBack(l int) bool {
	o.sender.Pool.Lent()
	return o.underWay[l].UnderWay() < o.credits
}

// waits tells whether a lane has a backlog.
func (o *Outbox) waits(l int) bool { return o.backlogs != nil && !o.backlogs[l].Empty() }

// stage is the stage of a lane's link; 0 when the topology has none.
func (o *Outbox) stage(l int) int {
	if o.stages == nil {
		return 0
	}
	return int(o.stages[l])
}

// leads tells whether any lane's link is of this stage.
func (o *Outbox) leads(stage int) bool {
	for _, s := range o.stages {
		if int(s) == stage {
			return true
		}
	}
	return o.stages == nil
}

// leave hands a sealed frame to the transport, or puts it into the backlog.
func (o *Outbox) leave(l int, f *netio.Frame) {
	aside := o.sender.Aside
	if !aside && o.hasCredit(l) && !o.waits(l) {
		o.launch(l, f)
		return
	}
	if o.backlogs == nil {
		o.backlogs = make([]netio.Frames, len(o.underWay))
	}
	if o.backlogs[l].Empty() {
		o.waiting = append(o.waiting, l)
		o.highest = max(o.highest, o.stage(l))
	}
	o.backlogs[l].Push(f)
	o.sender.Backlog++
	if !aside {
		o.sender.Count.CreditWaits++
	}
}

func (o *Outbox) launch(l int, f *netio.Frame) {
	o.sender.launch(f, o.underWay[l])
	o.handedOver(l) // after the account has the frame
}

// handedOver notes that a frame that may have been taken out of a shared buffer is not in this rank's hands any more.
func (o *Outbox) handedOver(l int) {
	if o.taken != nil && o.taken[l] != nil {
		o.taken[l].Add(-1)
	}
}

// Pump sends frames that have waited for credit, as far as it has come.
func (o *Outbox) Pump() {
	if len(o.waiting) > 0 {
		o.pumpBacklogs()
	}
	if o.Prompt && o.Filled { // a flush leaves pebbles in a lane only when frames wait ahead of them: Pump is called until they are gone
		o.Flush(Explicit, AllStages)
	}
}

func (o *Outbox) pumpBacklogs() {
	still := o.waiting[:0]
	o.highest = -1
	for _, l := range o.waiting {
		for o.waits(l) && o.hasCredit(l) {
			o.launch(l, o.shift(l))
		}
		if o.waits(l) {
			still = append(still, l)
			o.highest = max(o.highest, o.stage(l))
		}
	}
	o.waiting = still
}

// shift takes the oldest frame out of a lane's backlog.
func (o *Outbox) shift(l int) *netio.Frame {
	o.sender.Backlog--
	return o.backlogs[l].Shift()
}

// awaitCredit is for the main function's side: it handles what arrives until a lane has no backlog.
func (o *Outbox) awaitCredit(l int) {
	o.sender.Engine.Progress()
	for idle := 0; o.waits(l); {
		idle = o.sender.turn(idle)
	}
}

// AwaitRoom is for the main function's side, ahead of a send that must not wait: it handles what arrives until no frame waits for
// credit, and another one may be in flight.
func (o *Outbox) AwaitRoom() {
	for idle := 0; len(o.waiting) > 0; {
		idle = o.sender.turn(idle)
	}
	o.sender.awaitRoom(o.minUnits * o.Unit)
}

// HasRooms tells whether a task may send over any lane: no frame of this outbox waits for credit, another one may be in flight, and what
// waits for this very rank's handlers is less than the budget.
func (o *Outbox) HasRooms() bool { return len(o.waiting) == 0 && o.affordsAnother() }

// HasRoom is HasRooms for one lane.
func (o *Outbox) HasRoom(l int) bool { return !o.waits(l) && o.affordsAnother() }

// affordsAnother leaves half of the budget for what handlers send, which can't wait: the answers to what tasks of
// other ranks ask.
func (o *Outbox) affordsAnother() bool {
	s, cost := o.sender, netio.FrameCost(o.minUnits*o.Unit)+o.sender.BufferBudget/2
	return s.Queued <= s.BufferBudget && (s.fits(s.Pool.LentAtMost(), cost) || s.fits(s.Pool.Lent(), cost))
}

// Accepts tells whether a frame can be taken in now. A frame that came over a link of stage s goes on over links of higher stages
// only, so it is taken in unless one of those has a backlog. A topology without stages has no such order, and holds nothing back.
func (o *Outbox) Accepts(f *netio.Frame) bool {
	if o.highest <= 0 || o.staged == nil {
		return true
	}
	return o.staged.Stage(int(f.From), o.sender.Rank) >= o.highest
}

// Ends tells whether all routes over the link that a frame came by end here: it is of the last stage, and a frame of one rank alone.
func (o *Outbox) Ends(f *netio.Frame) bool {
	rank := o.sender.Rank
	return o.shares == nil && o.staged != nil && int(f.From) != rank && o.staged.Stage(int(f.From), rank) == o.staged.Stages()-1
}

// Back tells whether all frames that were sent have been handled by their receivers.
func (o *Outbox) Back() bool {
	o.sender.Pool.Lent() // brings accounts up to date
	for l := range o.underWay {
		if o.taken != nil && o.taken[l] != nil && o.taken[l].Load() != 0 { // first: a frame is in the account before it is not in taken
			return false
		}
		if o.underWay[l].UnderWay() != 0 {
			return false
		}
	}
	return true
}
