package container

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/codecs"
)

// Values that can't travel are refused in words, before anything is registered.
func TestValuesWithoutACodecAreRefused(t *testing.T) {
	type closed struct{ a string }
	require.Empty(t, closed{}.a)
	channel, lost := codecs.NewItem[chan int]("value"), codecs.NewItem[closed]("key")
	require.ErrorContains(t, derive(&channel), "its value, a chan int, has no codec")
	require.ErrorContains(t, derive(&lost), "give one by target.Coded")
}
