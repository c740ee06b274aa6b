package join

import (
	"fmt"
	"slices"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// joiner is one rank's part of a run.
type joiner struct {
	rank        *pebble.Rank
	config      Config
	left, right *container.Table[Row]
	found       Answer // by this rank
	all         Answer // by all
	unequal     uint64 // pairs whose keys are not equal
}

func newJoiner(r *pebble.Rank, c Config) *joiner {
	return &joiner{
		rank: r, config: c,
		left:  container.NewTable[Row](r, "left", c.Space),
		right: container.NewTable[Row](r, "right", c.Space),
	}
}

const progressEvery = 1 << 20 // rows of rank 0 between two words of progress

// load makes this rank's rows.
func (j *joiner) load() error {
	share := func(n uint64) (first, mine uint64) {
		b := distribution.Block(n, j.rank.Size())
		return b.Key(j.rank.ID(), 0), uint64(b.LocalLen(j.rank.ID()))
	}
	first, lefts := share(j.config.Left)
	for i := range lefts {
		j.left.Add(j.config.leftRow(first + i))
		j.config.Progress.Passed(j.rank, progressEvery, i, i+1, lefts)
	}
	first, rights := share(j.config.Right)
	for i := range rights {
		j.right.Add(j.config.rightRow(first + i))
	}
	return nil
}

func (j *joiner) join() error {
	key := func(row Row) uint64 { return row.Key }
	kind := container.JoinKind(slices.Index(Kinds, j.config.Kind))
	return container.Join(j.left, j.right, key, key, kind, func(l Row, r *Row) {
		j.found.result(l, r)
		if r != nil && l.Key != r.Key {
			j.unequal++
		}
	})
}

// total adds up what all ranks have found.
func (j *joiner) total(result *Result) (err error) {
	if j.all, err = pebble.AllReduce(j.rank, j.found, Answer.add); err != nil {
		return err
	}
	result.Results, result.Checksum = j.all.Results, fmt.Sprintf("%016x", j.all.Sum)
	l, r := j.left.Spilled(), j.right.Spilled()
	spilled, err := pebble.AllReduce(j.rank, container.Spilled{Bytes: l.Bytes + r.Bytes, Runs: l.Runs + r.Runs},
		func(a, b container.Spilled) container.Spilled {
			return container.Spilled{Bytes: a.Bytes + b.Bytes, Runs: a.Runs + b.Runs}
		})
	result.SpilledBytes, result.Runs = spilled.Bytes, spilled.Runs
	return err
}

// verify compares what was found with what the keys say, and with the serial twin.
func (j *joiner) verify(result *Result) error {
	if err := j.left.Clear(); err != nil {
		return err
	}
	if err := j.right.Clear(); err != nil {
		return err
	}
	keys := distribution.Block(j.config.Keys, j.rank.Size())
	mine := uint64(keys.LocalLen(j.rank.ID()))
	most := uint64(keys.LocalLen(0)) * bytesPerKey
	if err := apps.MustFit(j.rank, "join: the sums of the keys", most, "give fewer keys"); err != nil {
		return err
	}
	want, err := pebble.AllReduce(j.rank, j.config.byKeys(keys.Key(j.rank.ID(), 0), mine), Answer.add)
	if err != nil {
		return err
	}
	lost := max(want.Results, j.all.Results) - min(want.Results, j.all.Results)
	if err := result.FoundOnce(j.rank, lost, "results are wrong: they are missing, or too many"); err != nil {
		return err
	}
	changed := apps.Differ(lost > 0 || want.Sum == j.all.Sum)
	if err := result.FoundOnce(j.rank, changed, "checksum went wrong: results are of other rows"); err != nil {
		return err
	}
	return result.Compare(j.rank, result.Twin, func() (uint64, error) {
		return apps.Differ(Serial(j.config) == j.all), nil
	})
}
