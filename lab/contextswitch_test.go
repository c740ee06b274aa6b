package lab

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContextSwitch(t *testing.T) {
	seconds, err := ContextSwitch(2)
	require.NoError(t, err)
	require.GreaterOrEqual(t, seconds, 0.0)
}
