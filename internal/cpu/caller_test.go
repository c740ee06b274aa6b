package cpu_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/cpu"
)

//go:noinline
func called(deep int) (caller, same uintptr) {
	if deep > 0 {
		return called(deep - 1)
	}
	var at [1]uintptr
	runtime.Callers(2, at[:])
	return cpu.Caller(), at[0]
}

// Who has called is told as the runtime tells it: directly, from deep inside, from a goroutine's first function, and
// from a function value.
func TestCaller(t *testing.T) {
	same := func(caller, same uintptr) {
		t.Helper()
		require.Equal(t, same, caller)
		f, _ := runtime.CallersFrames([]uintptr{caller}).Next()
		g, _ := runtime.CallersFrames([]uintptr{same}).Next()
		require.Equal(t, g.Line, f.Line)
		require.Equal(t, g.File, f.File)
	}
	same(called(0))
	same(called(100))
	told := make(chan [2]uintptr)
	go func() {
		a, b := called(3)
		told <- [2]uintptr{a, b}
	}()
	both := <-told
	same(both[0], both[1])
	value := called
	same(value(0))
}
