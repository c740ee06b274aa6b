package engine

// ID is the rank's number, 0 to Size()-1.
func (c *caller) ID() int { return c.id }

// Size is the number of ranks of the job.
func (c *caller) Size() int { return c.team.place.Ranks }

// InTask reports whether a task is running, and no call of it and no handler. It ends the job when another goroutine
// calls.
func (c *caller) InTask(call string) bool {
	c.owned(call)
	return c.mode == task
}

// InBody reports whether the main function is running in an epoch's body.
func (c *caller) InBody() bool { return c.mode == body }

// MayWait reports whether a call may wait: a task runs, or the main function in an epoch's body. It ends the job when
// another goroutine calls.
func (c *caller) MayWait(call string) bool {
	c.owned(call)
	return c.mode == task || c.mode == body
}

// mustBeRank ends the job if a call was given a root or a rank that is none.
func mustBeRank(c *caller, call string, rank int) {
	if rank < 0 || rank >= c.Size() {
		c.Misuse(room, "%s with root %d: ranks are 0 to %d", call, rank, c.Size()-1)
	}
}
