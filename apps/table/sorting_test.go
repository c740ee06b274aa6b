package table

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/container"
	"github.com/activepebbles/pebbles/pebble"
)

// Each rule is effective: misordered, lost, doubled and changed rows are found.
func TestEachRule(t *testing.T) {
	for says, spoil := range map[string]func(s *Sorting[uint64, uint64]){
		"": func(*Sorting[uint64, uint64]) {},
		"2 rows are wrong: they come before the one ahead of them": func(s *Sorting[uint64, uint64]) { s.disorder++ },
		"1 ranks are wrong": func(s *Sorting[uint64, uint64]) {
			s.edges = []uint64{uint64(9 - s.rank.ID()), uint64(9 - s.rank.ID())}
		},
		"2 rows are wrong: they were lost or doubled": func(s *Sorting[uint64, uint64]) { s.after.Count++ },
		"1 checksum went wrong":                       func(s *Sorting[uint64, uint64]) { s.after.Sum++ },
	} {
		t.Run(says, func(t *testing.T) {
			require.NoError(t, appstest.Mem(2).Run(t, func(r *pebble.Rank) error {
				s := NewSorting(r, "rows", container.Budget{}, apps.Mix)
				s.Add(uint64(r.ID()))
				if err := s.Sort(); err != nil {
					return err
				}
				for range s.All() {
				}
				spoil(s)
				sums, err := s.Total()
				if err != nil {
					return err
				}
				require.EqualValues(t, 2, sums.Before.Count)
				var p apps.Report
				err = s.Judge(&p, sums)
				require.Contains(t, fmt.Sprint(p.Wrong), says)
				require.Equal(t, says == "", p.Errors == 0)
				return err
			}))
		})
	}
}
