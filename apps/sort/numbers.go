package sort

import (
	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/table"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
)

// runNumbers sorts numbers made from the seed.
func runNumbers(r *pebble.Rank, c Config) (result Result, err error) {
	s := &sorter[uint64]{rank: r, config: c}
	if s.out, err = create(r, c.Output, false); err != nil {
		return result, err
	}
	s.rows = table.NewSorting(r, "rows", c.Space, apps.Mix)
	s.load = func(*Result) error {
		c.loadNumbers(r, s.rows.Add)
		return nil
	}
	if s.out.Wanted() {
		s.out.columns(table.CountColumn("number"))
		s.write = func(number uint64) { s.out.row(table.UintOf(number)) }
	}
	return s.run("numbers")
}

func (c Config) loadNumbers(r *pebble.Rank, add func(number uint64)) {
	share := distribution.Block(c.Numbers, r.Size())
	mine := uint64(share.LocalLen(r.ID()))
	for i := range mine {
		add(c.number(share.Key(r.ID(), 0) + i))
		c.Progress.Passed(r, progressEvery, i, i+1, mine)
	}
}
