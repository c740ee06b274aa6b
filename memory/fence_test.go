package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
)

// A fence waits for what was asked before it, and for that alone.
func TestFencesCountWhatCameBefore(t *testing.T) {
	var s Space
	var first, second netio.Completion
	s.open = 1
	before := s.fenced
	s.fenceAsked(&first)
	s.open = 2
	between := s.fenced
	s.fenceAsked(&second)
	s.pass(s.fenced) // of one that was asked after both
	require.False(t, first.Done())
	require.False(t, second.Done())
	s.pass(between)
	require.False(t, first.Done())
	require.False(t, second.Done())
	s.pass(before)
	require.True(t, first.Done())
	require.True(t, second.Done())
	require.Empty(t, s.fences)
}
