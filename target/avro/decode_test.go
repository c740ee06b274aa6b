package avro_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/target/avro"
)

func varints(xs ...int64) (b []byte) {
	for _, x := range xs {
		b = binary.AppendVarint(b, x)
	}
	return b
}

func rejects[V any](t *testing.T, src []byte, words ...string) {
	t.Helper()
	c := avro.Must[V]()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := c.Decode(src)
	runtime.ReadMemStats(&after)
	require.Error(t, err)
	require.Zero(t, v)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<10+1000*len(src)))
	for _, w := range words {
		require.ErrorContains(t, err, w)
	}
}

func TestDamagedBytes(t *testing.T) {
	rejects[Base](t, nil, "decode avro_test.Base: field ID: bytes are cut short")
	rejects[Base](t, varints(1, 5), "field Name: a length of 5 exceeds the 0 bytes that follow")
	rejects[Base](t, varints(1, -1), "field Name: a length of -1")
	rejects[Base](t, varints(1, 0, 0), "1 of 3 bytes are left over")
	rejects[Base](t, bytes.Repeat([]byte{0xff}, 12), "field ID: a number has more than 64 bits")
	rejects[bool](t, []byte{2}, "2 is not a boolean")
	rejects[bool](t, nil, "cut short")
	rejects[float64](t, make([]byte, 7), "cut short")
	rejects[digest](t, make([]byte, 15), "cut short")
	rejects[int8](t, varints(128), "128 does not fit int8")
	rejects[int32](t, varints(math.MinInt32-1), "does not fit int32")
	rejects[uint8](t, varints(-1), "-1 does not fit uint8")
	rejects[uint32](t, varints(math.MaxUint32+1), "does not fit uint32")
	rejects[*int8](t, varints(2, 1), "2 is neither nil nor a *int8")
	rejects[*int8](t, varints(-1, 1), "-1 is neither nil")
	rejects[[2]int8](t, varints(3, 1, 2, 3, 0), "3 elements came for [2]int8")
	rejects[map[string]int8](t, append(varints(2, 0, 1, 0, 1), 0), "element [1]: the key \"\" comes twice")
	rejects[map[string]int8](t, varints(1, 9, 0, 0, 0), "element [0]: a length of 9")
	for _, count := range []int64{4, math.MaxInt32 - 1, math.MaxInt64, -1, math.MinInt64} {
		rejects[[]int8](t, varints(count, 1, 0), "a count of")
		rejects[map[string]int8](t, varints(count, 1, 0), "a count of")
		rejects[[][]map[string]tree](t, varints(1, 1, count, 0), "a count of")
	}
	rejects[tree](t, varints(0, 1, 0, 1, 9), "field Sub[0].Sub[0].Label: a length of 9")
}

func TestDeepDamageDoesNotOverflow(t *testing.T) {
	rejects[*node](t, bytes.Repeat([]byte{2}, 1<<20), "nests more than 10000")
	rejects[tree](t, bytes.Repeat(varints(0, 1), 1<<20), "nests more than 10000")
	twice := append(bytes.Repeat(varints(0, 1), 5000), varints(0, 0, 2, 0, 0, 0, 0, 0)...)
	rejects[tree](t, twice, "comes twice")
}

func TestArrayOfManyBlocks(t *testing.T) {
	got, err := avro.Must[[]int8]().Decode(varints(1, 7, 2, 8, 9, 0))
	require.NoError(t, err)
	require.Equal(t, []int8{7, 8, 9}, got)
}

func TestEveryCutIsAnError(t *testing.T) {
	c := avro.Must[tree]()
	b, err := c.Append(nil, tree{Label: "a", Sub: []tree{{Label: "b"}}, Named: map[string]tree{"c": {Label: "d"}}})
	require.NoError(t, err)
	for i := range b {
		_, err := c.Decode(b[:i])
		require.Error(t, err, "cut to %d bytes", i)
	}
}

// FuzzDecode checks that any bytes are an error or a value that survives another round trip. Maps have no order, so
// coverage varies and go test tries in vain to minimise inputs: give it -fuzzminimizetime 10x.
func FuzzDecode(f *testing.F) {
	all, trees := avro.Must[everything](), avro.Must[tree]()
	n := uint64(math.MaxUint64)
	b, err := all.Append(nil, everything{Number: &n, Pairs: make([]pair[word, *pair[int, string]], 2),
		Set: map[word]struct{}{"a": {}}})
	require.NoError(f, err)
	f.Add(b)
	b, err = trees.Append(nil, tree{Sub: make([]tree, 3), Named: map[string]tree{"x": {}}})
	require.NoError(f, err)
	f.Add(b)
	floats := avro.Must[map[string][]float32]()
	f.Fuzz(func(t *testing.T, src []byte) {
		again(t, all, src)
		again(t, trees, src)
		_, _ = floats.Decode(src) // NaNs are not equal to themselves
	})
}

func again[V any](t *testing.T, c *avro.Codec[V], src []byte) {
	v, err := c.Decode(bytes.Clone(src))
	if err != nil {
		return
	}
	require.True(t, reflect.DeepEqual(v, through(t, v)))
}

// The codec that containers derive for a type is the codec of that type.
func TestDerivedCodecs(t *testing.T) {
	type words = []string
	codec := avro.Must[words]()
	derived, err := codecs.Derive(reflect.TypeFor[words]())
	require.NoError(t, err)
	require.Equal(t, codec.Schema(), derived.Schema())
	want, got := words{"a", "", "bc"}, words{"before"}
	encoded, err := derived.Append(nil, unsafe.Pointer(&want))
	require.NoError(t, err)
	require.NoError(t, derived.Decode(encoded, unsafe.Pointer(&got)))
	require.Equal(t, want, got)
	again, err := codec.Decode(encoded)
	require.NoError(t, err)
	require.Equal(t, want, again)
	require.ErrorContains(t, derived.Decode(append(encoded, 0), unsafe.Pointer(&got)), "are left over")
	require.Empty(t, got)
	_, err = codecs.Derive(reflect.TypeFor[chan int]())
	require.ErrorContains(t, err, "derive schema of chan int")
}
