package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const panicked = `goroutine 7 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
panic({0x5a3e40?, 0xc000016108?})
	/usr/local/go/src/runtime/panic.go:783 +0x132
github.com/activepebbles/pebbles/target.(*Target[...]).Send(0x1, {0x2, 0x3})
	/home/me/go/pkg/mod/github.com/activepebbles/pebbles/target/send.go:60 +0x40
slices.SortFunc[...](...)
	/usr/local/go/src/slices/sort.go:29
main.run.func1()
	/home/me/graph/main.go:41 +0x1d
github.com/activepebbles/pebbles/internal/engine.(*Rank).Epoch.func1()
	/home/me/go/pkg/mod/github.com/activepebbles/pebbles/internal/engine/epoch.go:97 +0x9
created by github.com/activepebbles/pebbles/netio.Run in goroutine 1
	/home/me/go/pkg/mod/github.com/activepebbles/pebbles/netio/run.go:20 +0x9
`

// Located names the program's call in a stack, and the stack begins with it.
func TestLocated(t *testing.T) {
	site, ordered := Located([]byte(panicked))
	require.Equal(t, "main.go:41", site)
	require.Regexp(t, `^goroutine 7 \[running\]:\nmain\.run\.func1\(\)\n(?s:.*)netio/run\.go:20 \+0x9\n`+
		`which has called:\nruntime/debug\.Stack\(\)\n(?s:.*)slices/sort\.go:29\n$`, string(ordered))
	require.Len(t, ordered, len(panicked)+len("which has called:\n"))

	for _, without := range []string{"", "goroutine 7 [running]:\n", "no stack", "a\n\tb\n",
		"goroutine 1 [running]:\nruntime/debug.Stack()\n\t/usr/local/go/src/runtime/debug/stack.go:26 +0x5e\n"} {
		site, ordered := Located([]byte(without))
		require.Empty(t, site, without)
		require.Equal(t, without, string(ordered))
	}
}
