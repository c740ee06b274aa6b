package request

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
)

// An address has separate room for each rank, call and place.
func TestAddress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(0, 1<<20-2).Draw(t, "rank")
		call := rapid.Uint32Range(0, CallsMax).Draw(t, "call")
		place := rapid.IntRange(0, PlacesMax-1).Draw(t, "place")
		a := NewAddress(rank, call).Plus(place)
		require.EqualValues(t, rank, a.Rank())
		require.Equal(t, call, a.Call())
		require.EqualValues(t, place, a.Place())
		require.NotEqual(t, Nobody, a)
	})
}
