package join

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// joiner is one rank's part of a run.
type joiner struct {
	rank        *pebble.Rank
	config      Config
	left, right *container.Table[Row]
	found       Answer // on this rank
	all         Answer // on all ranks
	unequal     uint64 // pairs with unequal keys
}

func newJoiner(r *pebble.Rank, c Config) *joiner {
	return &joiner{
		rank: r, config: c,
		left:  container.NewTable[Row](r, "left", c.Space),
		right: container.NewTable[Row](r, "right", c.Space),
	}
}

const progressEvery = 1 << 20 // rows of rank 0 between two reports of progress

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
	return join(j.config.Kind, j.left, j.right, func(row Row) uint64 { return row.Key }, func(l Row, r *Row) {
		j.found.result(l, r)
		if r != nil && l.Key != r.Key {
			j.unequal++
		}
	}, func(r Row) { j.found.result(r, nil) })
}

// total sums the results of all ranks.
func (j *joiner) total(result *Result) (err error) {
	if j.all, err = pebble.AllReduce(j.rank, j.found, Answer.add); err != nil {
		return err
	}
	result.Results, result.Checksum = j.all.Results, fmt.Sprintf("%016x", j.all.Sum)
	spilled, err := spilledBy(j.rank, j.left.Spilled(), j.right.Spilled())
	result.SpilledBytes, result.Runs = spilled.Bytes, spilled.Runs
	return err
}

// spilledBy sums the spilled bytes and runs of tables of all ranks. All ranks call it.
func spilledBy(r *pebble.Rank, left, right container.Spilled) (container.Spilled, error) {
	return pebble.AllReduce(r, table.PlusSpilled(left, right), table.PlusSpilled)
}

// verify compares the results with sums over keys, and with the serial twin.
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
	if err := j.all.judge(&result.Report, j.rank, want); err != nil {
		return err
	}
	return result.Compare(j.rank, result.Twin, func() (uint64, error) {
		return apps.Differ(Serial(j.config) == j.all), nil
	})
}

// judge adds the differences between an answer and the wanted one to the errors of a report. All ranks call it.
func (a Answer) judge(p *apps.Report, r *pebble.Rank, want Answer) error {
	lost := max(want.Results, a.Results) - min(want.Results, a.Results)
	if err := p.FoundOnce(r, lost, "results are wrong: they are missing, or too many"); err != nil {
		return err
	}
	changed := apps.Differ(lost > 0 || want.Sum == a.Sum)
	return p.FoundOnce(r, changed, "checksum went wrong: results are of other rows")
}
