package termination

import "slices"

// Preset makes a ledger as if every link had had the given number of frames, all processed: tests begin next to a wrap.
func (l *Ledger) Preset(out, in []int, frames uint64) {
	for _, to := range out {
		l.link(to).created = frames
	}
	for _, from := range in {
		l.in[from] = &incoming{processed: []uint64{frames}}
	}
	l.all = []uint64{frames * uint64(len(in))}
}

// Copy returns an independent copy of the ledger. Enumeration needs copies of all that changes.
func (l *Ledger) Copy() *Ledger {
	c := NewLedger()
	for to, o := range l.out {
		fresh := *o
		c.out[to] = &fresh
	}
	for from, i := range l.in {
		c.in[from] = &incoming{slices.Clone(i.processed)}
	}
	c.all = slices.Clone(l.all)
	return c
}

func (d *skr) Copy() Detector {
	c := *d
	c.machine.Value = slices.Clone(d.machine.Value)
	return &c
}

func (d *nbx) Copy() Detector { c := *d; return &c }

func (d *pcx) Copy() Detector {
	c := *d
	c.machine.Value, c.created = slices.Clone(d.machine.Value), slices.Clone(d.created)
	return &c
}

func (d *neighbors) Copy() Detector { c := *d; return &c }
func (d *ordered) Copy() Detector   { c := *d; return &c }
