package engine

import (
	"fmt"
	"slices"
)

// Free notes that all ranks free an object that the program has made, of targets or beside them. From here on its calls
// go to the rank that Free returns, which is one whose function has returned as far as they know, so that each of them
// panics. It is nil, and nothing is freed, when the job is about to end: there Free may be deferred.
func (r *Rank) Free(object string) (gone *Rank) {
	call := object + " was freed"
	r.CheckFreed("Free was called")
	r.ownedAnew(call)
	if r.stack != nil || r.job.failed.Load() {
		return nil
	}
	if in := r.mode; in != outside {
		r.misplaced(in, call, "%s inside an epoch: free between epochs", call)
	}
	r.changed("frees " + object)
	gone = &Rank{caller: caller{id: r.id, job: r.job, mode: over, freed: object}}
	join(gone)
	return gone
}

// CheckFreed ends the job when a call comes to what was freed.
func (c *caller) CheckFreed(call string) {
	if c.freed != "" {
		c.late(call)
	}
}

// Free frees the target: its number, its place in accounts, and what its cache has reserved. It reports whether it has.
func (t *Target) Free() bool {
	r := t.Rank
	gone := r.Free(fmt.Sprintf("target %q", t.Name))
	if gone == nil {
		return false
	}
	at := slices.Index(r.targets, t)
	r.targets = slices.Delete(r.targets, at, at+1)
	r.numbered[t.Index] = nil
	r.Reserved -= t.description.Cache
	r.beyond = 0
	for _, other := range r.targets {
		r.beyond = max(r.beyond, other.description.ExtraDepth)
	}
	r.tuning.freed(at)
	r.ages.forget(t)
	if r.handling == t {
		r.handling = nil
	}
	t.outbox.Close()
	t.Rank, t.endpoint = gone, nil
	return true
}
