package table

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/activepebbles/pebbles/ingest"
)

// decimals are numbers as text, many of them equal or close.
var decimals = rapid.Custom(func(t *rapid.T) string {
	text := rapid.SampledFrom([]string{"", "-", "+"}).Draw(t, "sign")
	text += rapid.StringMatching(`[0-9]{1,4}(\.[0-9]{0,3})?|\.[0-9]{1,3}`).Draw(t, "digits")
	return text + rapid.StringMatching(`|[eE][-+]?[0-9]{1,2}`).Draw(t, "exponent")
})

// Keys of numbers are in the order of their values as read by math/big, and take the whole text.
func TestNumbersInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := decimals.Draw(t, "a"), decimals.Draw(t, "b")
		for _, reverse := range []bool{false, true} {
			keyA, takenA := AppendNumber(nil, []byte(a), reverse)
			keyB, _ := AppendNumber(nil, []byte(b), reverse)
			want := rat(t, a).Cmp(rat(t, b))
			if reverse {
				want = -want
			}
			require.Equal(t, len(a), takenA)
			require.Equal(t, want, bytes.Compare(keyA, keyB), "%s %s", a, b)
		}
	})
}

func rat(t require.TestingT, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(strings.TrimPrefix(text, "+"))
	require.True(t, ok, text)
	return r
}

// Numbers come in order, then NaN, then texts. A number may be the prefix of a text.
func TestOddNumbers(t *testing.T) {
	var numbers [][]byte
	for _, equal := range [][]string{
		{"-inf", "-Infinity", " -INFx"}, {"-1e400"}, {"-18446744073709551616"}, {"-1.5"}, {"-1", "-1.0", "-10e-1"},
		{"0", "-0", "+0.000", "0x0", "0e5", ".0", "0x"}, {"1e-400"}, {"1", "\t1.", "1x", "0x1", "1e", "1e+", "0X.8p1", "1_0"},
		{"1.5", "0x1.8p0"}, {"16", "0x10"}, {"18446744073709551615"}, {"18446744073709551616"}, {"1e400"},
		{"inf", "+infx"},
		{"nan", "-NaN", "nano"}, {"", "x", "-", "+-1", ".", "e5", " ", "−1"},
	} {
		var key []byte
		for j, text := range equal {
			got, _ := AppendNumber(nil, []byte(text), false)
			if j > 0 {
				require.Equal(t, key, got, text)
			}
			key = got
		}
		numbers = append(numbers, key)
	}
	require.True(t, slices.IsSortedFunc(numbers, bytes.Compare))
}

// Keys of values are ordered part by part, are equal only if the values are, and report their length.
func TestKeys(t *testing.T) {
	values := rapid.OneOf(
		rapid.Map(decimals, TextOf), rapid.Map(rapid.StringN(0, 4, 8), TextOf), rapid.Map(rapid.Int64(), IntOf),
		rapid.Map(rapid.Uint64(), UintOf), rapid.Map(rapid.Float64(), FloatOf), rapid.Just(Value{}),
		rapid.Map(rapid.SampledFrom([]string{"\x00", "\x00\x01", "a\x00", "a", "inf", "nan", "1"}), TextOf),
	)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "n")
		a := rapid.SliceOfN(values, n, n).Draw(t, "a")
		b := rapid.SliceOfN(values, n, n).Draw(t, "b")
		order, keyA, keyB := 0, []byte(nil), []byte(nil)
		for i := range a {
			partA, partB := AppendKey(nil, a[i]), AppendKey(nil, b[i])
			order = cmp.Or(order, bytes.Compare(partA, partB))
			keyA, keyB = append(keyA, partA...), append(keyB, partB...)
			equal := a[i].String() == b[i].String() && (a[i].Kind == Null) == (b[i].Kind == Null)
			require.Equal(t, equal, bytes.Equal(partA, partB))
		}
		require.Equal(t, order, bytes.Compare(keyA, keyB))
		require.Equal(t, len(keyA), KeyLen(string(keyA)+"\x00\x01rest", n))
		got, rest := Values(nil, string(Append(nil, a...))+"rest", n)
		require.Equal(t, a, got)
		require.Equal(t, "rest", rest)
	})
}

// Places are in the order of files, shares and records.
func TestPlaces(t *testing.T) {
	of := func(at ingest.Place) [3]int64 { return [3]int64{int64(at.File), at.From, at.Record} }
	places := rapid.Custom(func(t *rapid.T) ingest.Place {
		return ingest.Place{File: rapid.IntRange(0, 300).Draw(t, "file"), From: rapid.Int64Min(0).Draw(t, "from"),
			Record: rapid.Int64Range(0, 70000).Draw(t, "record")}
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := places.Draw(t, "a"), places.Draw(t, "b")
		wantA, wantB := of(a), of(b)
		require.Equal(t, slices.Compare(wantA[:], wantB[:]),
			bytes.Compare(AppendPlace(nil, a), AppendPlace(nil, b)), fmt.Sprint(a, b))
		require.Equal(t, "rest", SkipPlace(string(AppendPlace(nil, a))+"rest"))
	})
}
