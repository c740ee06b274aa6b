package engine

// InCommon is what the ranks of this process have in common under a key: the first one that asks has it made.
func (r *Rank) InCommon(key any, make func() any) any {
	r.owned("InCommon was called")
	r.job.mutex.Lock()
	defer r.job.mutex.Unlock()
	if v, ok := r.job.common[key]; ok {
		return v
	}
	v := make()
	if r.job.common == nil {
		r.job.common = map[any]any{}
	}
	r.job.common[key] = v
	return v
}
