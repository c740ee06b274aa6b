package stressmark

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/memory"
	"github.com/activepebbles/pebbles/pebble"
)

// errorsOf runs a kernel on three ranks, with harm done on one of them after it, and returns what the verifier counted.
func errorsOf(t *testing.T, run func(r *pebble.Rank, harm bool) (uint64, error)) (errors uint64) {
	require.NoError(t, on(3, "mem").Run(t, func(r *pebble.Rank) error {
		n, err := run(r, r.ID() == 1)
		if r.ID() == 0 {
			errors = n
		}
		return err
	}))
	return errors
}

func brokenPointers(t *testing.T, updates bool, harm func(p *pointers)) uint64 {
	return errorsOf(t, func(r *pebble.Rank, harmed bool) (uint64, error) {
		p := &pointers{rank: r, config: PointerConfig{Words: 90, Window: 3, Hops: 20, Stop: 1, Seed: 2}.withDefaults(), space: memory.New(r), updates: updates}
		result := PointerResult{Report: newReport(r, "test", 2)}
		if err := p.load(); err != nil {
			return 0, err
		}
		if err := result.kernel(p.space, p.kernel); err != nil {
			return 0, err
		}
		if harmed || updates && r.ID() == 0 {
			harm(p)
		}
		err := p.judge(&result)
		return result.Errors, err
	})
}

func TestPointerVerifierNotices(t *testing.T) {
	for _, updates := range []bool{false, true} {
		each := uint64(1)
		if updates {
			each = 2 // rank 0 and rank 1 do harm
		}
		require.Zero(t, brokenPointers(t, updates, func(*pointers) {}))
		require.Equal(t, each, brokenPointers(t, updates, func(p *pointers) { p.field.Local()[4]++ }), "a wrong word")
		require.EqualValues(t, 1, brokenPointers(t, updates, func(p *pointers) { p.trace.Hops-- }), "a hop too few")
		require.EqualValues(t, 1, brokenPointers(t, updates, func(p *pointers) { p.trace.Index++ }), "another end")
	}
}

func TestFieldVerifierNotices(t *testing.T) {
	broken := func(harm func(f *field)) uint64 {
		return errorsOf(t, func(r *pebble.Rank, harmed bool) (uint64, error) {
			f := &field{rank: r, config: FieldConfig{Bytes: 90, Tokens: 3, Values: 4, Seed: 2}.withDefaults(), space: memory.New(r)}
			result := FieldResult{Report: newReport(r, "test", 2)}
			if err := f.load(); err != nil {
				return 0, err
			}
			if err := result.kernel(f.space, f.kernel); err != nil {
				return 0, err
			}
			if harmed {
				harm(f)
			}
			if err := f.sum(&result); err != nil {
				return 0, err
			}
			err := f.judge(&result)
			return result.Errors, err
		})
	}
	require.Zero(t, broken(func(*field) {}))
	require.EqualValues(t, 1, broken(func(f *field) { f.array.Local()[4] ^= 1 }), "a wrong byte")
	require.EqualValues(t, 1, broken(func(f *field) { f.tokens[1].Checksum++ }), "another set")
	require.EqualValues(t, 2, broken(func(f *field) { f.tokens[0].Sets++; f.tokens[2].Sum-- }))
}

func TestNeighborhoodVerifierNotices(t *testing.T) {
	broken := func(harm func(n *neighborhood)) uint64 {
		return errorsOf(t, func(r *pebble.Rank, harmed bool) (uint64, error) {
			n := newNeighborhood(r, NeighborhoodConfig{Side: 12, Seed: 2}.withDefaults())
			result := NeighborhoodResult{Report: newReport(r, "test", 2)}
			if err := n.load(); err != nil {
				return 0, err
			}
			if err := result.kernel(n.space, n.kernel); err != nil {
				return 0, err
			}
			if harmed {
				harm(n)
			}
			err := n.judge(&result)
			return result.Errors, err
		})
	}
	require.Zero(t, broken(func(*neighborhood) {}))
	require.EqualValues(t, 1, broken(func(n *neighborhood) { n.image.Local()[7]++ }), "a wrong pixel")
	require.EqualValues(t, 1, broken(func(n *neighborhood) { n.own[3].sums[9]++ }), "a pair too many")
}
