package checkpoint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/checkpoint"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/dataset"
	"github.com/activepebbles/pebbles/internal/disk/disktest"
	"github.com/activepebbles/pebbles/pebble"
)

// One Save returns an error of any file operation, on all ranks. Nothing of that checkpoint remains, the others stay,
// and the next Save succeeds. An old checkpoint that cannot be removed is only a warning.
func TestNoErrorOfTheDiskIsLost(t *testing.T) {
	t.Run("one host", func(t *testing.T) { diskFails(t, []string{""}) })
	t.Run("two hosts", func(t *testing.T) { diskFails(t, []string{"a", "b"}) })
}

// diskFails makes ranks save while each file operation fails once, on one host or two.
func diskFails(t *testing.T, hosts []string) {
	steps := 4 - len(hosts)
	host := func(r *pebble.Rank) string { return hosts[r.ID()%len(hosts)] }
	disktest.Each(t, func(t *testing.T, call string) {
		dataset.SetHost(host)
		defer dataset.SetHost(nil)
		s := appstest.Mem(2)
		s.Checkpoints.Folder = t.TempDir()
		failed := make([]map[int]error, s.Ranks) // by rank and step
		run := func(saves int) (began int) {
			require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
				step, errs := 0, map[int]error{}
				c := checkpoint.New(r, "faulty", checkpoint.Value("step", &step))
				c.In(filepath.Join(s.Checkpoints.Folder, host(r)))
				if _, err := c.Restore(); err != nil {
					return err
				}
				if r.ID() == 0 {
					began = step
				}
				for step = 1; step <= saves; step++ {
					if err := c.Save(); err != nil {
						errs[step] = err
					}
				}
				failed[r.ID()] = errs
				return nil
			}))
			return began
		}
		run(steps)
		isRemoval, last, saved := strings.HasPrefix(call, "rename of faulty-"), steps, steps
		for _, errs := range failed {
			if call == "" || isRemoval {
				require.Empty(t, errs)
				continue
			}
			require.Len(t, errs, 1)
			saved = steps - 1
			for step, err := range errs {
				require.ErrorContains(t, err, disktest.Err.Error())
				require.ErrorContains(t, err, "checkpoint: save: write ")
				require.ErrorContains(t, err, s.Checkpoints.Folder)
				if step == steps {
					last = steps - 1
				}
			}
		}
		for _, host := range hosts {
			if !isRemoval {
				require.Len(t, names(t, filepath.Join(s.Checkpoints.Folder, host)), min(saved, 2))
			}
		}
		require.Equal(t, last, run(0))
	})
}

// Missing and repeated elements of a checkpoint are detected, for any number of ranks.
func TestLostAndRepeatedElementsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		times []int // number of times that each record of a rank is written
		want  string
	}{
		"as they are":       {[]int{1, 1, 1}, ""},
		"lost":              {[]int{1, 0, 1}, `part "rows": `},
		"repeated":          {[]int{1, 2, 1}, "came twice: a record is damaged"},
		"lost and repeated": {[]int{0, 2, 1}, `part "rows": `},
	} {
		for _, ranks := range []int{1, 2, 3} {
			s := appstest.Mem(2)
			s.Checkpoints.Folder = t.TempDir()
			program := func(save bool) error {
				return s.Run(t, func(r *pebble.Rank) error {
					d := distribution.Block(1<<16, r.Size())
					vs := make([]uint64, d.LocalLen(r.ID()))
					rows := checkpoint.Slice("rows", d, &vs)
					if save {
						rows = checkpoint.Altered(rows, func(n int) int { return c.times[n%len(c.times)] })
					}
					ck := checkpoint.New(r, "altered", rows)
					if _, err := ck.Restore(); err != nil || !save {
						return err
					}
					return ck.Save()
				})
			}
			require.NoError(t, program(true))
			s.Ranks = ranks
			if err := program(false); c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want, "%s, %d ranks", name, ranks)
			}
		}
	}
}
