package engine

import "github.com/activepebbles/pebbles/netio"

// InCommon is what the ranks of this process have in common for one-sided access: the first one that asks has it made.
func (r *Rank) InCommon(make func() any) any {
	r.job.mutex.Lock()
	defer r.job.mutex.Unlock()
	if r.job.common == nil {
		r.job.common = make()
	}
	return r.job.common
}

// OneSided is the rank's access to exposed memory. A rank with operations open is not at rest, so the end of an epoch
// is a fence of all ranks whose end it is. Operations are begun in epochs alone. failed is asked at each end for the
// error of what nobody has waited for.
func (r *Rank) OneSided(failed func() error) netio.OneSided {
	r.owned("memory.New was called")
	if r.oneSided == nil {
		r.oneSided = r.Port.OneSided()
	}
	r.accessErrors = append(r.accessErrors, failed)
	return r.oneSided
}

// checkAccesses ends the job if an operation has failed that nobody has waited for.
func (r *Rank) checkAccesses() {
	for _, failed := range r.accessErrors {
		if err := failed(); err != nil {
			r.Fail(&rankError{r.id, err})
		}
	}
}

// accesses is how many operations of this rank on exposed memory are open.
func (r *Rank) accesses() int {
	if r.oneSided == nil {
		return 0
	}
	return r.oneSided.Open()
}

// InEpoch reports whether an epoch is running on this rank.
func (r *Rank) InEpoch() bool { return r.inEpoch() }
