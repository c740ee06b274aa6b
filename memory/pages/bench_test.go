package pages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/memory/pages"
)

// sum adds up words, as fast as a plain loop does.
//
//go:noinline
func sum(all []uint64) (s uint64) {
	for _, v := range all {
		s += v
	}
	return s
}

// A span of near pages is read as a slice is.
func BenchmarkNearRead(b *testing.B) {
	const n = 1 << 20
	plain := make([]uint64, n)
	b.Run("slice", func(b *testing.B) {
		for b.Loop() {
			sum(plain)
		}
	})
	require.NoError(b, job(1, pages.Config{}, func(s *pages.Space) error {
		v := pages.NewSlice[uint64](s, "words", distribution.Block(n, 1))
		clear(v.Write(0, n))
		b.Run("pages", func(b *testing.B) {
			for b.Loop() {
				sum(v.Read(0, n))
			}
		})
		b.Run("open a page", func(b *testing.B) {
			for i := uint64(0); b.Loop(); i += 512 {
				v.Read(i%n, i%n+512)
			}
		})
		return nil
	}))
}

// A round of two ranks: one writes a page, a barrier, the other one reads it, a barrier; with copies.
func BenchmarkPageByBarriers(b *testing.B) {
	require.NoError(b, job(2, pages.Config{Copies: true}, func(s *pages.Space) error {
		v := pages.NewSlice[uint64](s, "words", distribution.Block(4096, 2))
		round := func(i uint64) error {
			if s.Rank().ID() == 0 {
				v.Write(2048, 2560)[i%512] = i
			}
			if err := s.Barrier(); err != nil {
				return err
			}
			if s.Rank().ID() == 1 {
				v.Read(2048, 2560)
			}
			return s.Barrier()
		}
		if s.Rank().ID() == 0 {
			b.ReportAllocs()
		}
		for i := range b.N {
			if err := round(uint64(i)); err != nil {
				return err
			}
		}
		return nil
	}))
}
