package engine

import "fmt"

// Free notes that all ranks free an object that the program has made, of targets or beside them. From here on its calls
// go to the rank that Free returns, which is one whose function has returned as far as they know, so that each of them
// panics. It is nil, and nothing is freed, when the job is about to end: there Free may be deferred.
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

// CheckFreed ends the job when a call comes to what was freed, or to a team that the rank is no member of.
func (c *caller) CheckFreed(call string) {
	if c.gone != "" {
		c.late(call)
	}
}

// freed says why calls of an object are in vain.
func freed(object string) string {
	return "after " + object + " was freed: free what nothing uses any more"
}

// Free frees the target: its number, its place in accounts, and what its cache has reserved. It reports whether it has.
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
