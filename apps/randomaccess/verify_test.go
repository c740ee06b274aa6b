package randomaccess

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

// run loads a table on each of three ranks, lets kernel and verify do the rest, and returns what the verifier says.
func run(t *testing.T, kernel, verify func(b *bench) error) (errors uint64, wrong []string) {
	s := appstest.Shape{Ranks: 3, Procs: 1, Transport: "mem", New: route.Direct}
	require.NoError(t, s.Run(t, func(r *pebble.Rank) error {
		b, err := newBench(r, Config{Log2Words: 8, UpdatesPerWord: 4})
		if err == nil {
			err = b.load()
		}
		if err != nil {
			return err
		}
		result := b.result()
		if err = result.Kernel(r, func() error { return kernel(b) }); err == nil {
			err = verify(b)
		}
		if err == nil {
			err = b.judge(&result)
		}
		if r.ID() == 0 {
			errors, wrong = result.Errors, result.Wrong
		}
		return err
	}))
	return errors, wrong
}

const ofTable, ofXOR = "words of the table are wrong", "1 XOR over the table is not that of the numbers sent"

func TestVerifierNotices(t *testing.T) {
	for name, c := range map[string]struct {
		harm   func(table []uint64) // after the kernel, to the table of one rank
		errors uint64
		wrong  []string
	}{
		"nothing":         {func([]uint64) {}, 0, nil},
		"a wrong word":    {func(table []uint64) { table[17] ^= 1 }, 2, []string{"1 " + ofTable, ofXOR}},
		"two words":       {func(table []uint64) { table[3], table[4] = table[4], table[3] }, 2, []string{"2 " + ofTable}},
		"two of one rank": {func(table []uint64) { table[3] ^= 9; table[4] ^= 9 }, 2, []string{"2 " + ofTable}},
		"all words": {func(table []uint64) {
			for i := range table {
				table[i] ^= 1 << (i / 4)
			}
			table[0] ^= 12345
		}, 257, []string{"256 " + ofTable, ofXOR}},
	} {
		t.Run(name, func(t *testing.T) {
			errors, wrong := run(t, (*bench).kernel, func(b *bench) error {
				if b.rank.ID() == 1 {
					c.harm(b.table)
				}
				return b.verify()
			})
			require.Equal(t, c.errors, errors)
			require.Equal(t, c.wrong, wrong)
		})
	}
}

// both runs the kernel and the second run with harm done in the same way to what one rank sends first in each.
func both(t *testing.T, harm func(rans []uint64) []uint64) (wrong []string) {
	spoil := func(b *bench, send func(rans []uint64)) func(rans []uint64) {
		done := b.rank.ID() != 1
		return func(rans []uint64) {
			if !done {
				done, rans = true, harm(rans)
			}
			send(rans)
		}
	}
	_, wrong = run(t, func(b *bench) error { return b.pass(spoil(b, b.updates("update", b.count))) },
		func(b *bench) error { return b.check(spoil(b, b.updates("undo", b.see))) })
	return wrong
}

// What both runs do wrong leaves every word right at the end.
func TestVerifierNoticesWhatIsWrongTwice(t *testing.T) {
	const missing, more = "1 pebble is missing of the 3072 that were sent", "2 more pebbles are handled or merged than the 3072 that were sent"
	require.Empty(t, both(t, func(rans []uint64) []uint64 { return rans }))
	require.Subset(t, both(t, func(rans []uint64) []uint64 { return rans[1:] }), []string{ofXOR, "the second run: " + missing, missing}, "lost")
	require.Subset(t, both(t, func(rans []uint64) []uint64 { return append(rans, rans[0], rans[0]) }),
		[]string{"the second run: " + more, more}, "three times")
	require.Equal(t, []string{ofXOR}, both(t, func(rans []uint64) []uint64 { rans[1] = rans[0]; return rans }), "lost, and another twice")
	require.Equal(t, []string{ofXOR}, both(t, func(rans []uint64) []uint64 { rans[1] ^= 1 << 40; return rans }), "altered")
}

// Updates that come to a rank that does not own their words are counted, however many words there are.
func TestForeign(t *testing.T) {
	for _, ranks := range []uint64{1, 2, 3, 4, 7, 8} {
		w := words{total: ranks * 64, own: 64}
		rans := make([]uint64, 1000)
		fill(rans, number(12345))
		for rank := range ranks {
			want := uint64(0)
			for _, ran := range rans {
				if w.key(ran)/64 != rank {
					want++
				}
			}
			require.Equal(t, want, w.foreign(64*rank, rans))
			own := slices.DeleteFunc(slices.Clone(rans), func(ran uint64) bool { return w.key(ran)/64 != rank })
			require.Zero(t, w.foreign(64*rank, own))
		}
	}
}
