package pages_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/memory/pages"
)

// sum adds words, as fast as a plain loop.
//
//go:noinline
func sum(all []uint64) (s uint64) {
	for _, v := range all {
		s += v
	}
	return s
}

// Reading a span of near pages is like reading a slice.
func BenchmarkNearRead(b *testing.B) {
	const n = 1 << 20
	plain := make([]uint64, n)
	b.Run("slice", func(b *testing.B) {
		for b.Loop() {
			sum(plain)
		}
	})
	require.NoError(b, job(1, pages.Config{}, func(r rank) {
		v := r.words(n)
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
	}))
}

// A round of two ranks: one writes a page, a barrier, the other one reads it, a barrier; with copies.
func BenchmarkPageByBarriers(b *testing.B) {
	require.NoError(b, job(2, pages.Config{Copies: true}, func(r rank) {
		v := r.words(4096)
		if r.ID() == 0 {
			b.ReportAllocs()
		}
		for i := range b.N {
			if r.ID() == 0 {
				v.Write(2048, 2560)[i%512] = uint64(i)
			}
			r.meet()
			if r.ID() == 1 {
				v.Read(2048, 2560)
			}
			r.meet()
		}
	}))
}
