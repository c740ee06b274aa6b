package coalesce

import "time"

// Flush sends what waits in the lanes for links of a stage up to the given one. A lane without credit keeps its
// pebbles, and gets more of them meanwhile: left reports whether there is any. The target has moved what its cache
// holds back into the lanes before, if the stage leads (see Links.Leads).
func (o *Outbox) Flush(why Reason, stage int) (left bool) {
	if !o.Filled {
		return false
	}
	o.Filled = false
	kept, left := o.flushLanes(why, stage)
	o.Filled = kept || left || !o.Leads(stage)
	if !o.Filled && o.Queue.frame == nil {
		o.last, o.mixed = 0, false
	}
	return left
}

// flushLanes sends the frames that hold a pebble. It tells whether it has kept some for a later stage, and whether some
// are left for want of credit.
func (o *Outbox) flushLanes(why Reason, stage int) (kept, left bool) {
	n := len(o.Lanes)
	for i := range n {
		l := (o.first + i) % n
		switch {
		case o.frames[l] == nil:
		case o.stage(l) > stage:
			kept = true
		case !o.hasCredit(l) && (why != Explicit || o.Waits(l)):
			left = true
		default:
			o.emit(l, why)
		}
	}
	o.first = (o.first + 1) % n
	return kept, left
}

// Pump sends frames that have waited for credit, as far as it has come.
func (o *Outbox) Pump() {
	if o.AnyWaits() {
		o.pump()
	}
	if o.Prompt && o.Filled { // a flush leaves pebbles only when frames wait ahead: Pump is called until they are gone
		o.Flush(Explicit, AllStages)
	}
}

// FlushDue sends the lanes that are due at the time now, and tells whether the pebbles that a cache holds back, if it
// does, are due too.
func (o *Outbox) FlushDue(now time.Duration, held bool) (heldDue bool) {
	if o.lanesDue == nil {
		return false
	}
	for l, f := range o.frames {
		if f == nil || l == o.Plan.Self || !o.lanesDue.Look(l, true, now) || !o.hasCredit(l) {
			continue
		}
		o.emit(l, Due)
	}
	if !o.heldDue.Look(0, held, now) {
		return false
	}
	o.heldDue.Left(0)
	return true
}
