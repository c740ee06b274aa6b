package seeds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/seeds"
)

func TestOf(t *testing.T) {
	t.Setenv(seeds.Variable, "")
	require.Equal(t, uint64(1), seeds.Of(t), "the seed is fixed")
	t.Setenv(seeds.Variable, "18446744073709551615")
	require.Equal(t, uint64(1<<64-1), seeds.Of(t), "the seed can be given back")
}
