package bootstrap

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A child that tells of its subtree twice is counted once.
func TestReportsCountOnce(t *testing.T) {
	m := newMeeting(Config{Processes: 3, Self: self(0)}, nil, nil)
	defer m.stop()
	for range 2 {
		job, err := m.hear(1, report{Number: 1, Subtree: []member{{1, self(1)}}}, nil)
		require.NoError(t, err)
		require.Nil(t, job, "process 2 has told of nothing")
		require.Len(t, m.members, 2)
	}
}
