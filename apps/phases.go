package apps

import "github.com/activepebbles/pebbles/pebble"

// Phases are what an application does on one rank, in this order. Those that are nil are left out.
type Phases struct {
	Load   func() error // makes or loads the data; its time is SetUp
	Kernel func() error // what the report is about; its time is Seconds
	Rate   func()       // works out rates, when the kernel's time is known
	Verify func() error // checks the result; its time is Verify
	Judge  func() error // adds what is wrong to the report, by Found and at last Finish
}

// RunPhases runs the phases, each of which the ranks begin together. All ranks call it. It ends at the first error.
func (p *Report) RunPhases(r *pebble.Rank, s Phases) (err error) {
	if s.Load != nil {
		if p.SetUp, err = Timed(r, s.Load); err != nil {
			return err
		}
	}
	if err := p.Kernel(r, s.Kernel); err != nil {
		return err
	}
	if s.Rate != nil {
		s.Rate()
	}
	if s.Verify != nil {
		if p.Verify, err = Timed(r, s.Verify); err != nil {
			return err
		}
	}
	return s.Judge()
}

// Progress is called with how much of a total is done. It may be nil.
type Progress func(done, total uint64)

// Passed reports progress on rank 0 when done has reached or passed a multiple of every since before.
func (p Progress) Passed(r *pebble.Rank, every, before, done, total uint64) {
	if p != nil && r.ID() == 0 && done/every != before/every {
		p(done, total)
	}
}

// Mix is a bijection that spreads every bit over all: the finalizer of SplitMix64.
func Mix(v uint64) uint64 {
	v += 0x9E3779B97F4A7C15
	v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
	v = (v ^ v>>27) * 0x94D049BB133111EB
	return v ^ v>>31
}
