//go:build long

package uts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
)

// The serial search gives the benchmark's answers for trees with some million nodes.
func TestAnswersOfTheBenchmark(t *testing.T) {
	for _, s := range samples[:5] {
		t.Run(s.Name, func(t *testing.T) {
			got := appstest.Must(Serial(s.Tree))
			require.Equal(t, s.Answer, got)
		})
	}
}
