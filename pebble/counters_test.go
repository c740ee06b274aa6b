package pebble_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/pebble"
)

// Sums and differences include every counter. Rounds and epochs are equal on all ranks, and are not summed.
func TestCountersHaveEveryField(t *testing.T) {
	var a, b pebble.Counters
	va, vb := reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()
	for i := range va.NumField() {
		va.Field(i).SetUint(uint64(1000 + i))
		vb.Field(i).SetUint(uint64(100 + 2*i))
	}
	sum, difference := reflect.ValueOf(a.Add(b)), reflect.ValueOf(a.Since(b))
	for i := range va.NumField() {
		name := va.Type().Field(i).Name
		want := uint64(1100 + 3*i)
		if name == "Rounds" || name == "Epochs" {
			want = uint64(1000 + i)
		}
		require.Equal(t, want, sum.Field(i).Uint(), name)
		require.Equal(t, uint64(900-i), difference.Field(i).Uint(), name)
	}
}
