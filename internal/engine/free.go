package engine

import "fmt"

// Free records that all ranks free an object of the program, a target or another. From now on, its calls go to the rank
// that Free returns, which looks like one whose function has returned, so that each call panics. If the job is about to
// end, Free frees nothing and returns nil: it may be deferred.
func (r *Rank) Free(object string) (gone *Rank) {
	call := object + " was freed"
	r.CheckFreed("Free was called")
	r.ownedAnew(call)
	if r.stack != nil || r.Job.failed.Load() {
		return nil
	}
	if in := r.mode; in != outside {
		r.misplaced(in, call, "%s inside an epoch: free between epochs", call)
	}
	r.Targets.changed("frees " + object)
	gone = &Rank{caller: caller{id: r.id, Job: r.Job, team: r.team, port: r.port, owner: new(owner), mode: over}}
	gone.gone = freed(object)
	connect(gone)
	return gone
}

// CheckFreed ends the job if the object of a call was freed, or belongs to a team without this rank.
func (c *caller) CheckFreed(call string) {
	if c.gone != "" {
		c.late(call)
	}
}

// freed returns the reason why calls of an object fail.
func freed(object string) string {
	return "after " + object + " was freed: free what nothing uses any more"
}

// Free frees the target: its number, its place in accounts, and its cache's reserved memory. It reports whether it did.
func (t *Target) Free() bool {
	r := t.Rank
	gone := r.Free(fmt.Sprintf("target %q", t.Name))
	if gone == nil {
		return false
	}
	r.Sender.Reserved -= t.description.Cache
	at := r.Targets.remove(t)
	if r.tuner != nil {
		r.tuner.freed(at)
	}
	r.Publisher.ages.forget(t)
	if r.handling == t {
		r.handling = nil
	}
	t.outbox.Close()
	t.Rank, t.Sender, t.endpoint = gone, &gone.Sender, nil
	return true
}
