package bfs

import (
	"github.com/activepebbles/pebbles/apps/distgraph"
	"github.com/activepebbles/pebbles/checkpoint"
)

// Resumable lists the modes that make checkpoints, between two levels.
var Resumable = []Mode{ByLevel, Direction}

// Resume implements Search.
func (t *tree[V]) Resume(uint64, ...checkpoint.Part) error { return nil }

// Before implements Search.
func (t *tree[V]) Before() float64 { return t.levels.Before() }

// restore continues from the newest checkpoint, if one exists. Parents are saved by their numbers.
func (t *tree[V]) restore(seed uint64, parts []checkpoint.Part) error {
	t.saved = t.parent
	t.levels.Saving = func() (err error) {
		if t.saved, err = t.names.Ask(t.parent); t.g.Ordered {
			t.tally = t.tally.Add(t.names.Tally())
		}
		return err
	}
	parts = append(parts, distgraph.Kept(t.g, t.Part, "parents", &t.saved),
		distgraph.Kept(t.g, t.Part, "levels", &t.level))
	restored, err := t.levels.Restore(t.g.Rank, "bfs", seed, append(parts, t.g.Arguments()...)...)
	if err == nil && restored {
		t.parent, err = distgraph.IndicesBy(t.g, t.saved)
	}
	return err
}
