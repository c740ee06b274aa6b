package target

import (
	"sync/atomic"

	"github.com/activepebbles/pebbles/internal/engine"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/route"
)

// credit bounds what a rank has under way on each of its lanes: frames handed to the transport and not yet handled by their
// receiver. A frame without credit waits in its lane's backlog. The main function waits with it; what hops and handlers
// send can't wait, so a rank whose backlog is not empty takes in no frame that would add to it: docs/flow-control.md shows
// why that can't deadlock.
type credit struct {
	door     *engine.Target
	most     int64            // frames under way on a lane
	underWay []*netio.Account // by lane; lanes that ranks of a process share have one
	taken    []*atomic.Int64  // by lane: frames taken out of a shared buffer and not yet launched, by any rank; nil when no lane is shared
	backlogs []netio.Frames   // by lane: frames that wait for credit, oldest first; nil before the first had to
	waiting  []int            // lanes with a backlog
	staged   route.Staged     // nil when the topology has no order
	stages   []int32          // by lane, when staged
	highest  int              // stage among waiting lanes; -1 for none
}

func (c *credit) open(door *engine.Target, plan *route.Plan, frameBytes int) {
	c.door, c.most, c.highest = door, int64(door.Config().Credits(frameBytes)), -1
	c.underWay = make([]*netio.Account, len(plan.Lanes))
	own := make([]netio.Account, len(plan.Lanes))
	for l := range own {
		c.underWay[l] = &own[l]
		door.Own(&own[l])
	}
	staged, ok := door.Topology().(route.Staged)
	if !ok {
		return
	}
	c.staged = staged
	c.stages = make([]int32, len(plan.Lanes))
	for l, rank := range plan.Lanes {
		c.stages[l] = -1 // the rank itself is behind no link
		if l != plan.Self {
			c.stages[l] = int32(staged.Stage(door.ID(), rank))
		}
	}
}

// has tells whether a frame can leave on a lane.
func (c *credit) has(l int) bool {
	if c.underWay[l].UnderWay() < c.most {
		return true
	}
	c.door.Collect()
	return c.underWay[l].UnderWay() < c.most
}

// waits tells whether a lane has a backlog.
func (c *credit) waits(l int) bool { return c.backlogs != nil && !c.backlogs[l].Empty() }

// stage is the stage of a lane's link; 0 when the topology has none.
func (c *credit) stage(l int) int {
	if c.stages == nil {
		return 0
	}
	return int(c.stages[l])
}

// leads tells whether any lane's link is of this stage.
func (c *credit) leads(stage int) bool {
	for _, s := range c.stages {
		if int(s) == stage {
			return true
		}
	}
	return c.stages == nil
}

// leave hands a sealed frame to the transport, or puts it into the backlog.
func (c *credit) leave(l int, f *netio.Frame) {
	if c.has(l) && !c.waits(l) {
		c.launch(l, f)
		return
	}
	if c.backlogs == nil {
		c.backlogs = make([]netio.Frames, len(c.underWay))
	}
	if c.backlogs[l].Empty() {
		c.waiting = append(c.waiting, l)
		c.highest = max(c.highest, c.stage(l))
	}
	c.backlogs[l].Push(f)
	c.door.Backlog(1)
}

func (c *credit) launch(l int, f *netio.Frame) {
	c.door.Launch(f, c.underWay[l])
	c.handed(l) // after the account has the frame
}

// handed notes that a frame that may have been taken out of a shared buffer is not in this rank's hands any more.
func (c *credit) handed(l int) {
	if c.taken != nil && c.taken[l] != nil {
		c.taken[l].Add(-1)
	}
}

// Pump implements engine.Endpoint.
func (c *credit) Pump() {
	if len(c.waiting) == 0 {
		return
	}
	still := c.waiting[:0]
	c.highest = -1
	for _, l := range c.waiting {
		for c.waits(l) && c.has(l) {
			c.launch(l, c.shift(l))
		}
		if c.waits(l) {
			still = append(still, l)
			c.highest = max(c.highest, c.stage(l))
		}
	}
	c.waiting = still
}

// shift takes the oldest frame out of a lane's backlog.
func (c *credit) shift(l int) *netio.Frame {
	c.door.Backlog(-1)
	return c.backlogs[l].Shift()
}

// await is for the main function's side: it handles what arrives until a lane has no backlog.
func (c *credit) await(l int) {
	c.door.Progress()
	for idle := 0; c.waits(l); {
		idle = c.door.Turn(idle)
	}
}

// Accepts implements engine.Endpoint: a frame that came over a link of stage s goes on over links of higher stages only, so
// it is taken in unless one of those has a backlog. A topology without stages has no such order, and holds nothing back.
func (c *credit) Accepts(f *netio.Frame) bool {
	if c.highest <= 0 || c.staged == nil {
		return true
	}
	return c.staged.Stage(int(f.From), c.door.ID()) >= c.highest
}

// ends tells whether all routes over the link that a frame came by end here: it is of the last stage.
func (c *credit) ends(f *netio.Frame) bool {
	return c.staged != nil && int(f.From) != c.door.ID() && c.staged.Stage(int(f.From), c.door.ID()) == c.staged.Stages()-1
}

// Back implements engine.Endpoint.
func (c *credit) Back() bool {
	c.door.Collect()
	for l := range c.underWay {
		if c.taken != nil && c.taken[l] != nil && c.taken[l].Load() != 0 { // first: a frame is in the account before it is not in taken
			return false
		}
		if c.underWay[l].UnderWay() != 0 {
			return false
		}
	}
	return true
}
