package task

import "github.com/activepebbles/pebbles/internal/watch/state"

// Waiting implements engine.Tasks.
func (s tasks) Waiting() (all []state.Tasks) {
	at := map[string]int{}
	for _, w := range s.workers {
		if w.waits == "" {
			continue
		}
		if _, known := at[w.waits]; !known {
			at[w.waits] = len(all)
			all = append(all, state.Tasks{Call: w.waits})
		}
		all[at[w.waits]].Count++
	}
	return all
}
