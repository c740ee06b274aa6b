package avro_test

import (
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
	"github.com/activepebbles/pebbles/target/avro"
)

// codec is target.Codec, which this package does not import.
type codec[V any] interface {
	Append(dst []byte, v V) ([]byte, error)
	Decode(src []byte) (V, error)
}

var (
	_ codec[everything]                 = (*avro.Codec[everything])(nil)
	_ interface{ Schema() string }      = (*avro.Codec[everything])(nil)
	_ interface{ Fingerprint() uint64 } = (*avro.Codec[everything])(nil)
)

// roundTrips sends random values of V through its codec and compares them with themselves; nil and empty are equal.
func roundTrips[V any](t *testing.T) {
	t.Helper()
	t.Run(strings.ReplaceAll(reflect.TypeFor[V]().String(), "/", "."), func(t *testing.T) {
		c, err := avro.New[V]()
		require.NoError(t, err)
		rapid.Check(t, func(t *rapid.T) {
			var v V
			draw(t, reflect.ValueOf(&v).Elem(), 0)
			prefix := []byte("prefix")
			b, err := c.Append(prefix, v)
			require.NoError(t, err)
			require.Equal(t, prefix, b[:len(prefix)])
			got, err := c.Decode(b[len(prefix):])
			require.NoError(t, err)
			clear(b) // the value must not lie in the bytes
			require.True(t, reflect.DeepEqual(v, got), "sent %#v, got %#v", v, got)
		})
	})
}

func TestRoundTrip(t *testing.T) {
	roundTrips[bool](t)
	roundTrips[int8](t)
	roundTrips[uint64](t)
	roundTrips[int64](t)
	roundTrips[string](t)
	roundTrips[word](t)
	roundTrips[[]byte](t)
	roundTrips[blob](t)
	roundTrips[digest](t)
	roundTrips[[][4]octet](t)
	roundTrips[[]string](t)
	roundTrips[[3][]string](t)
	roundTrips[map[string]int](t)
	roundTrips[map[word][]digest](t)
	roundTrips[*int](t)
	roundTrips[link](t)
	roundTrips[struct{}](t)
	roundTrips[struct{ A, B float64 }](t)
	roundTrips[[]float32](t)
	roundTrips[integers](t)
	roundTrips[Base](t)
	roundTrips[node](t)
	roundTrips[*node](t)
	roundTrips[tree](t)
	roundTrips[[]tree](t)
	roundTrips[first](t)
	roundTrips[map[string]*second](t)
	roundTrips[everything](t)
}

// through returns a value after a round trip.
func through[V any](t require.TestingT, v V) V {
	c := avro.Must[V]()
	b, err := c.Append(nil, v)
	require.NoError(t, err)
	got, err := c.Decode(b)
	require.NoError(t, err)
	return got
}

func TestSixtyFourBitsAreKept(t *testing.T) { require.Equal(t, edges, through(t, edges)) }

func TestBitsOfNaNAreKept(t *testing.T) {
	type real float32
	var v struct {
		A float32
		B float64
		C real
	}
	v.A, v.B = math.Float32frombits(0x7fa00001), math.Float64frombits(0x7ff4000000000001)
	v.C = real(math.Float32frombits(0xffa00002))
	got := through(t, v)
	require.Equal(t, math.Float32bits(v.A), math.Float32bits(got.A))
	require.Equal(t, math.Float64bits(v.B), math.Float64bits(got.B))
	require.Equal(t, math.Float32bits(float32(v.C)), math.Float32bits(float32(got.C)))
}

func TestNilAndEmptyComeBackNil(t *testing.T) {
	type lists struct {
		Bytes, MoreBytes []byte
		Slice            []int
		Map              map[string]int
		Pointer          *[]int
	}
	empty := lists{Bytes: []byte{}, Slice: []int{}, Map: map[string]int{}, Pointer: &[]int{}}
	require.Equal(t, lists{Pointer: new([]int)}, through(t, empty))
}

func TestFieldLeftOutComesBackZero(t *testing.T) { require.Zero(t, through(t, everything{Left: 7})) }

func TestOneCodecServesManyGoroutines(t *testing.T) {
	c := avro.Must[tree]()
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			v := tree{Label: strings.Repeat("x", g), Sub: make([]tree, g+1)}
			for range 200 {
				b, err := c.Append(nil, v)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := c.Decode(b)
				if err != nil || !reflect.DeepEqual(v, got) {
					t.Errorf("sent %v, got %v, %v", v, got, err)
					return
				}
			}
		})
	}
	all.Wait()
}

func TestDeepValues(t *testing.T) {
	c := avro.Must[node]()
	chain := func(length int) node {
		var v node
		for range length - 1 {
			v = node{Value: 1, Left: &node{Value: v.Value, Left: v.Left}}
		}
		return v
	}
	require.Equal(t, chain(10_000), through(t, chain(10_000)))

	dst := []byte("kept")
	b, err := c.Append(dst, chain(10_001))
	require.ErrorContains(t, err, "nests more than 10000 structs deep")
	require.Less(t, len(err.Error()), 400)
	require.Equal(t, dst, b)

	circle := &node{}
	circle.Left = circle
	_, err = c.Append(nil, *circle)
	require.ErrorContains(t, err, "points to itself")
}
