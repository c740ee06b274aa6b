package coalesce

import "time"

// Flush sends the frames of lanes whose links have at most the given stage. A lane without credit keeps its pebbles,
// and gathers more: left reports whether such a lane exists. If FlushesCaches returns true, the target first moves the
// pebbles of its cache into the lanes.
func (o *Outbox) Flush(why Reason, stage int) (left bool) {
	if !o.filled {
		return false
	}
	kept, left := o.flushLanes(why, stage)
	o.filled = kept || left
	if !o.filled && o.queue.frame == nil {
		o.last, o.mixed = 0, false
	}
	return left
}

// flushLanes sends the frames of lanes. It reports whether it kept some for a later stage, and whether some remain for
// lack of credit.
func (o *Outbox) flushLanes(why Reason, stage int) (kept, left bool) {
	n := len(o.lanes)
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

// Pump sends frames of the backlog as far as credit allows.
func (o *Outbox) Pump() {
	if o.AnyWaits() {
		o.pump()
	}
	if o.FlushOnCredit && o.filled { // pebbles that a flush left are behind frames that wait: Pump is called until then
		o.Flush(Explicit, AllStages)
	}
}

// FlushDue sends the frames that are due at the time now. held reports whether a cache holds pebbles back; heldDue
// reports whether these are due too.
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
