package main

import (
	"fmt"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// link is a team of two stages that follow each other.
type link struct {
	team *pebble.Team
	give *target.Target[uint64]
}

// connect links a stage with the next one. What is handed over is added to got on ranks of that.
func connect(r *pebble.Rank, stage int, got *[]uint64) (l link, err error) {
	color := pebble.NoTeam
	if own := stageOf(r, r.ID()); own == stage || own == stage+1 {
		color = stage
	}
	l.team, err = r.Split(color, 0, fmt.Sprintf("stages %d and %d", stage, stage+1))
	if err != nil || !l.team.Member() {
		return l, err
	}
	first := 0 // of the next stage's ranks, in the team
	for stageOf(r, l.team.InJob(first)) == stage {
		first++
	}
	l.give = target.New(l.team.Rank, "give", distribution.Ranks(l.team.Size()),
		target.Key(func(v uint64) uint64 { return uint64(first) + v%uint64(l.team.Size()-first) }),
		target.Batch(func(vs []uint64) { *got = append(*got, vs...) }))
	return l, nil
}

// hand hands over a batch: in an epoch of the two stages alone.
func (l link) hand(vs []uint64) error {
	return l.team.Epoch(func() error {
		l.give.SendAll(vs)
		return nil
	}, pebble.Depth(1))
}
