package container

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

// Strings are in the order of slices.Sort, with all kinds of common parts: none, long prefixes, zeros, everything.
func TestTextsAreSorted(t *testing.T) {
	seed := seeds.Of(t)
	random := rand.New(rand.NewPCG(seed, 0))
	letters := func(n int, of string) string {
		var b strings.Builder
		for range n {
			b.WriteByte(of[random.IntN(len(of))])
		}
		return b.String()
	}
	for name, draw := range map[string]func(i int) string{
		"any bytes":           func(int) string { return letters(random.IntN(20), "\x00\x01aZ\x7f\x80\xff") },
		"two letters":         func(int) string { return letters(random.IntN(40), "ab") },
		"long beginnings":     func(int) string { return "https://example.org/" + letters(random.IntN(12), "abcdefgh") },
		"many beginnings":     func(int) string { return fmt.Sprintf("group %d of %s", random.IntN(3), letters(9, "xyz")) },
		"zeros":               func(i int) string { return strings.Repeat("\x00", i%700) },
		"zeros, and a letter": func(i int) string { return strings.Repeat("\x00", i%700) + letters(1, "\x00a") },
		"prefixes":            func(i int) string { return strings.Repeat("a", i%1500) },
		"equal":               func(int) string { return "the same" },
		"nearly equal":        func(i int) string { return "the same" + strings.Repeat("x", i/2999) },
		"empty":               func(int) string { return "" },
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{0, 1, few - 1, few, 3000} {
				type row struct {
					text   string
					number int
				}
				rows, want := make([]row, n), make([]string, n)
				for i := range rows {
					want[i] = draw(i)
					rows[i] = row{want[i], i}
				}
				drawn := slices.Clone(want)
				slices.Sort(want)
				sortByText(rows, func(r *row) string { return r.text })
				numbers := map[int]bool{}
				for i, r := range rows {
					require.Equal(t, want[i], r.text)
					require.Equal(t, drawn[r.number], r.text)
					numbers[r.number] = true
				}
				require.Len(t, numbers, n)
			}
		})
	}
}

// Numbers of keys are in the order of keys, for each kind of number and for types based on one.
func TestNumbersAreInTheOrderOfKeys(t *testing.T) {
	type mine int8
	inOrder[int](t, math.MinInt, -1, 0, 1, math.MaxInt)
	inOrder[int8](t, math.MinInt8, -1, 0, 1, math.MaxInt8)
	inOrder[mine](t, math.MinInt8, -1, 0, 1, math.MaxInt8)
	inOrder[int16](t, math.MinInt16, -1, 0, 1, math.MaxInt16)
	inOrder[int32](t, math.MinInt32, -1, 0, 1, math.MaxInt32)
	inOrder[int64](t, math.MinInt64, -1, 0, 1, math.MaxInt64)
	inOrder[uint](t, 0, 1, math.MaxInt64, math.MaxUint)
	inOrder[uint8](t, 0, 1, math.MaxInt8, math.MaxUint8)
	inOrder[uint16](t, 0, 1, math.MaxUint8, math.MaxUint16)
	inOrder[uint32](t, 0, 1, math.MaxUint16, math.MaxUint32)
	inOrder[uint64](t, 0, 1, math.MaxUint32, math.MaxUint64)
	inOrder[uintptr](t, 0, 1, math.MaxUint32)
	inOrder(t, float32(math.NaN()), float32(math.Inf(-1)), -math.MaxFloat32, -math.SmallestNonzeroFloat32, 0,
		math.SmallestNonzeroFloat32, 1, math.MaxFloat32, float32(math.Inf(1)))
	inOrder(t, math.NaN(), math.Inf(-1), -math.MaxFloat64, -math.SmallestNonzeroFloat64, 0,
		math.SmallestNonzeroFloat64, 1, math.MaxFloat64, math.Inf(1))
	require.Equal(t, ordinal[float64]()(0), ordinal[float64]()(math.Copysign(0, -1)))
	require.Nil(t, ordinal[string]())
}

func inOrder[K cmp.Ordered](t *testing.T, keys ...K) {
	t.Helper()
	number := ordinal[K]()
	for i := range keys[1:] {
		require.Less(t, number(keys[i]), number(keys[i+1]), "%T: %v and %v", keys[i], keys[i], keys[i+1])
	}
}

func BenchmarkSortTexts(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 0))
	texts := make([]string, 1_000_000)
	for i := range texts {
		line := make([]byte, 10+random.IntN(80))
		for j := range line {
			line[j] = byte('a' + random.IntN(26))
		}
		texts[i] = string(line)
	}
	for name, sort := range map[string]func(of []string){
		"ours":        func(of []string) { sortByText(of, func(s *string) string { return *s }) },
		"slices.Sort": slices.Sort[[]string],
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sort(slices.Clone(texts))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(texts)), "ns/row")
		})
	}
}
