package cpu_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/cpu"
)

func TestCheckMemory(t *testing.T) {
	require.NoError(t, cpu.CheckMemory(0, "ranks", 5, 0))
	require.NoError(t, cpu.CheckMemory(3, "ranks", 5, 15))
	require.EqualError(t, cpu.CheckMemory(3, "ranks", 5, 14), "3 ranks need at least 15 bytes of memory, and 14 bytes "+
		"are available")
	require.EqualError(t, cpu.CheckMemory(1e9, "ranks", 20<<10, 22<<30),
		"1000000000 ranks need at least 18.6 TiB of memory, and 22 GiB are available")
	require.ErrorContains(t, cpu.CheckMemory(math.MaxInt, "ranks", math.MaxInt64, math.MaxInt64), "PiB")
}
