package coalesce

import "iter"

// Load describes the pebbles and frames that wait or travel on a lane's link.
type Load struct {
	Filling int64  // bytes of pebbles in the lane's buffer
	Flight  int64  // frames in flight; those that came back since the pool last collected still count
	Waiting int64  // frames that wait for credit
	Sent    uint32 // frames that have left the lane; it wraps
}

// Loads yields the load of each link to another rank, by lane.
func (o *Outbox) Loads() iter.Seq2[int, Load] {
	return func(yield func(int, Load) bool) {
		for l := range o.lanes {
			if l == o.Plan.Self {
				continue
			}
			h := Load{Filling: int64(o.lanes[l].Len() * o.Unit), Flight: o.inFlight[l].InFlight(), Sent: o.sent[l]}
			if o.frames[l] == nil {
				h.Filling = 0
			}
			if o.backlogs != nil {
				h.Waiting = int64(o.backlogs[l].Len())
			}
			if !yield(l, h) {
				return
			}
		}
	}
}
