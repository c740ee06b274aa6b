package ofi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/local"
)

// nothingFar has no operations.
type nothingFar struct{ local.Far }

func (nothingFar) Fence(*netio.Completion) {}

// A fence waits for the transfers that began before it, and for those alone.
func TestFencesCountWhatCameBefore(t *testing.T) {
	r := &reach{rest: nothingFar{}}
	var first, second netio.Completion
	begin := func() *transfer {
		r.begun++
		x := &transfer{of: r, number: r.begun, place: len(r.all)}
		r.all = append(r.all, x)
		r.open++
		return x
	}
	before := begin()
	r.Fence(&first)
	between := begin()
	r.Fence(&second)
	r.leave(begin(), true) // one that began after both
	require.False(t, first.Done())
	require.False(t, second.Done())
	r.leave(between, true)
	require.False(t, first.Done())
	require.False(t, second.Done())
	r.leave(before, true)
	require.True(t, first.Done())
	require.True(t, second.Done())
	require.Zero(t, r.open)
}
