package watch

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTracer(t *testing.T) {
	require.False(t, hasTracer(nil))
	require.False(t, hasTracer([]byte("Name:\tx\nTracerPid:\t0\nUid:\t0\n")))
	require.True(t, hasTracer([]byte("Name:\tx\nTracerPid:\t4711\nUid:\t0\n")))
	require.True(t, hasTracer([]byte("TracerPid:\t10")))
	require.False(t, stopped(os.Getpid()))
	require.False(t, stopped(-1))
}
