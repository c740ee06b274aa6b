package page

import (
	"github.com/activepebbles/pebbles/internal/watch/state"
)

// hostileSource puts a text wherever a job has one.
type hostileSource struct {
	*madeUp
	text string
}

func (h hostileSource) Job() *state.Job {
	j := h.madeUp.Job()
	j.Program, j.ID, j.Transport, j.Verdict = h.text, h.text, h.text, h.text
	j.Settings = map[string]string{h.text: h.text}
	for i := range j.Processes {
		p := &j.Processes[i]
		p.Host = h.text
		for k := range p.Ranks {
			h.spoil(&p.Ranks[k])
		}
	}
	return j
}

func (h hostileSource) spoil(r *state.Rank) {
	r.Status, r.Wait, r.Target = h.text, h.text, h.text
	r.Call.Name, r.Call.Site, r.Call.Kind = h.text, h.text, h.text
	r.Stack = []string{h.text}
	for i := range r.Links {
		r.Links[i].Target = h.text
	}
	for i := range r.Events {
		r.Events[i].Name, r.Events[i].Site = h.text, h.text
	}
	for i := range r.Targets {
		r.Targets[i].Name = h.text
	}
}
