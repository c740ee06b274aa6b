package coalesce

// Room returns the number of units that the frame of a lane has room for; 0 when the lane has no frame.
func (o *Outbox) Room(l int) int {
	if o.frames[l] == nil {
		return 0
	}
	return o.lanes[l].Cap()
}
