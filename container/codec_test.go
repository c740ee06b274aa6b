package container

import (
	"errors"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/codecs"
	"github.com/activepebbles/pebbles/pebble"
)

// Values that can't travel are refused with a message, before anything is registered.
func TestValuesWithoutACodecAreRefused(t *testing.T) {
	type closed struct{ a string }
	require.Empty(t, closed{}.a)
	channel, lost := codecs.NewItem[chan int]("value"), codecs.NewItem[closed]("key")
	require.ErrorContains(t, derive(&channel), "its value, a chan int, has no codec")
	require.ErrorContains(t, derive(&lost), "give one by target.Coded")
}

// A value that can't be encoded or decoded ends the job with a message, in every collective.
func TestErrorsOfCodecsEndCollectives(t *testing.T) {
	plain := codecs.Value{Type: reflect.TypeFor[uint64]()}.OrPlain()
	broken := errors.New("a broken value")
	encodes := codecs.NewValue(plain.Type, func(dst []byte, _ unsafe.Pointer) ([]byte, error) { return dst, broken },
		plain.Decode, plain.Schema)
	decodes := codecs.NewValue(plain.Type, plain.Append,
		func([]byte, unsafe.Pointer) error { return broken }, plain.Schema)
	for want, codec := range map[string]codecs.Value{
		"encode a value: a broken": encodes, "decode a value: a broken": decodes,
	} {
		for call, collect := range map[string]func(c *collection, vs *[]uint64) error{
			"GatherSlice":    func(c *collection, vs *[]uint64) error { return c.gather(0, place(vs)) },
			"AllGatherSlice": func(c *collection, vs *[]uint64) error { return c.allGather(place(vs)) },
			"AllReduce": func(c *collection, vs *[]uint64) error {
				return c.top(1, place(vs), func(i, j int) bool { return (*vs)[i] < (*vs)[j] })
			},
		} {
			err := pebble.Run(t.Context(), pebble.Config{Ranks: 3}, func(r *pebble.Rank) error {
				c, vs := newCollection(newBase(r, "values", codec), call, codec), []uint64{1, 2}
				c.addAll(place(&vs))
				return collect(c, &vs)
			})
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, call)
		}
	}
}
