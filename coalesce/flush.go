package coalesce

import "time"

// Flush sends what waits in the cache and in the lanes for links of a stage up to the given one. The cache is emptied when
// a lane's link is of that very stage: until then more may come that can be merged. A lane without credit keeps its pebbles,
// and gets more of them meanwhile. It tells whether anything was sent, and whether such a lane is left.
func (o *Outbox) Flush(why Reason, stage int) (sent, left bool) {
	if !o.Filled {
		return false, false
	}
	before := o.sender.Count.FramesSent
	drained := stage == AllStages || o.leads(stage)
	if drained {
		o.target.Release() // which may wait for room, and flush meanwhile
	}
	o.Filled = false
	kept, left := o.flushLanes(why, stage)
	o.Filled = o.Filled || kept || left || !drained
	if !o.Filled && o.Queue.frame == nil {
		o.last, o.mixed = 0, false
	}
	return o.sender.Count.FramesSent != before, left
}

// flushLanes sends the frames that hold a pebble. It tells whether it has kept some for a later stage, and whether some are
// left for want of credit.
func (o *Outbox) flushLanes(why Reason, stage int) (kept, left bool) {
	n := len(o.Lanes)
	for i := range n {
		l := (o.first + i) % n
		if s := o.sharedBy(l); s != nil {
			left = o.flushShared(l, s, why) || left
			continue
		}
		switch {
		case o.frames[l] == nil:
		case o.stage(l) > stage:
			kept = true
		case !o.hasCredit(l) && (why != Explicit || o.waits(l)):
			left = true
		default:
			o.emit(l, why)
		}
	}
	o.first = (o.first + 1) % n
	return kept, left
}

// FlushDue sends the lanes that are due at the time now, and tells whether the pebbles that a cache holds back, if it does, are due too.
func (o *Outbox) FlushDue(now time.Duration, held bool) (heldDue bool) {
	if o.lanesDue == nil {
		return false
	}
	for l, f := range o.frames {
		if l == o.Plan.Self || !o.lanesDue.Look(l, f != nil, now) || !o.hasCredit(l) {
			continue
		}
		if s := o.sharedBy(l); s != nil {
			o.flushShared(l, s, Due)
		} else {
			o.emit(l, Due)
		}
	}
	if !o.heldDue.Look(0, held, now) {
		return false
	}
	o.heldDue.Left(0)
	return true
}
