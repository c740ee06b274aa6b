package stressmark

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// Report is what all stressmarks report. The counts are of the timed kernel, over all ranks.
type Report struct {
	apps.Report
	memory.Counts
	AddressCache int     `json:"address_cache"` // entries, 0 for none
	HitRate      float64 `json:"hit_rate"`      // of the accesses to other processes: Counts.HitRate
}

// newReport is what is known before a run.
func newReport(r *pebble.Rank, name string, seed uint64) Report {
	p := apps.NewReport(r, "stressmark-"+name, seed)
	p.Cache = 0
	return Report{Report: p, AddressCache: max(0, r.Config().AddressCache)}
}

// kernel is apps.Report.Kernel, and counts accesses.
func (p *Report) kernel(s *memory.Space, phase func() error) error {
	before := s.Counts()
	if err := p.Kernel(s.Rank(), phase); err != nil {
		return err
	}
	var err error
	p.Counts, err = pebble.AllReduce(s.Rank(), s.Counts().Since(before), memory.Counts.Add)
	p.HitRate = p.Counts.HitRate()
	return err
}

// finish sums up: no stressmark sends a pebble, but for the questions and answers of misses.
func (p *Report) finish(r *pebble.Rank) error {
	var t apps.Tally
	if r.ID() == 0 {
		t.Sent, t.Handled = p.Pebbles, p.Pebbles
	}
	return p.Finish(r, t)
}

// accesses is a row for display.
func (p Report) accesses() [2]string {
	share := 0.0
	if all := p.Near + p.Remote; all > 0 {
		share = 100 * float64(p.Remote) / float64(all)
	}
	text := fmt.Sprintf("%d near, %d remote: %.1f %%", p.Near, p.Remote, share)
	if p.Hits+p.Misses > 0 {
		text += fmt.Sprintf("; %d addresses were in the cache of %d, %d were not: %.1f %% hits", p.Hits, p.AddressCache, p.Misses, 100*p.HitRate)
	}
	return [2]string{"accesses", text}
}
