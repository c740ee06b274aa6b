package cpu_test

import (
	"path"
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

// Caller agrees with the runtime: directly, deep in calls, in a goroutine's first function, and in a function value.
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

//go:noinline
func outer() (at [cpu.CallersMost]uintptr) { return middle() }

//go:noinline
func middle() (at [cpu.CallersMost]uintptr) { return inner() }

//go:noinline
func inner() (at [cpu.CallersMost]uintptr) {
	cpu.Callers(&at)
	for i, call := range at { // CalledBy notices each call that differs
		if !cpu.CalledBy(&at) {
			panic("CalledBy and Callers differ")
		}
		at[i]++
		if cpu.CalledBy(&at) {
			panic("CalledBy has not looked at a call")
		}
		if at[i] = call; call == 0 {
			break
		}
	}
	return at
}

// The calls found by frame pointers agree with the runtime's own walk.
func TestCallers(t *testing.T) {
	at := outer()
	var names []string
	frames := runtime.CallersFrames(at[:])
	for range 3 {
		f, _ := frames.Next()
		names = append(names, path.Base(f.Function))
	}
	require.Equal(t, []string{"cpu_test.middle", "cpu_test.outer", "cpu_test.TestCallers"}, names)

	var deep func(n int) [cpu.CallersMost]uintptr
	deep = func(n int) (at [cpu.CallersMost]uintptr) {
		if n > 0 {
			return deep(n - 1)
		}
		return inner()
	}
	at = deep(20)
	require.NotContains(t, at, uintptr(0), "all calls that there is room for")

	got := make(chan [cpu.CallersMost]uintptr)
	go func() { got <- inner() }()
	at = <-got
	require.NotZero(t, at[0])
	require.Zero(t, at[cpu.CallersMost-1], "a goroutine's stack ends")
}

func BenchmarkCallers(b *testing.B) {
	var at [cpu.CallersMost]uintptr
	for b.Loop() {
		cpu.Callers(&at)
	}
}
