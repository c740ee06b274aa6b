package uts

import "math"

// Serial is the search without a job: one thread, depth-first.
func Serial(t Tree) (Answer, error) {
	if err := t.check(); err != nil {
		return Answer{}, err
	}
	w := newWalker(t)
	w.root(t)
	w.search(math.MaxUint64)
	return w.found, nil
}
