package engine

// ID returns the rank's number, 0 to Size()-1.
func (c *caller) ID() int { return c.id }

// Size returns the number of ranks of the job.
func (c *caller) Size() int { return c.team.place.Ranks }

// InTask reports whether a task is running, outside of its calls and of handlers. It ends the job if another goroutine
// calls.
func (c *caller) InTask(call string) bool {
	c.owned(call)
	return c.mode == task
}

// InBody reports whether the main function is running in an epoch's body.
func (c *caller) InBody() bool { return c.mode == body }

// MayWait reports whether a call may wait: a task runs, or the main function in an epoch's body. It ends the job if
// another goroutine calls.
func (c *caller) MayWait(call string) bool {
	c.owned(call)
	return c.mode == task || c.mode == body
}

// mustBeRank ends the job if the root or rank of a call is not a rank.
func mustBeRank(c *caller, call string, rank int) {
	if rank < 0 || rank >= c.Size() {
		c.Misuse(room, "%s with root %d: ranks are 0 to %d", call, rank, c.Size()-1)
	}
}
