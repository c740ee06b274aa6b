package engine

import "github.com/activepebbles/pebbles/netio"

// hold keeps a frame whose pebbles may have to go on over links that wait for credit. Its sender's credit bounds how many
// there are.
func (r *Rank) hold(f *netio.Frame) {
	r.counters.Held++
	r.held.Push(f)
}

// retry takes in the held frames that can be taken in now, and tells whether there were any.
func (r *Rank) retry() bool {
	worked := false
	all := r.held.Move()
	for f := all.Shift(); f != nil; f = all.Shift() {
		if r.endpoints[f.Target].Accepts(f) {
			r.take(f)
			worked = true
		} else {
			r.held.Push(f)
		}
	}
	return worked
}
