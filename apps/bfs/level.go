package bfs

import "github.com/activepebbles/pebbles/apps"

// byLevel is the level-synchronous kernel.
type byLevel[V vertex] struct{ *pusher[V] }

// From implements Search. It costs, for each level, an epoch and an all-reduction.
func (s byLevel[V]) From(root uint64) error {
	s.startAt(root)
	for level := V(0); ; level++ {
		if err := s.push(level); err != nil {
			return err
		}
		reached, err := apps.Sum(s.g.Rank, s.reached())
		if err != nil || reached == 0 {
			return err
		}
	}
}
