package randomaccess

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// By default the rule holds wherever it can: up to 1,023 neighbours.
func TestRuleHoldsByDefault(t *testing.T) {
	for neighbours := range 2000 {
		for _, most := range []int{1, 7, 1024, 4096} {
			q := share(neighbours, 0, 0, most)
			require.GreaterOrEqual(t, q.batch, 1)
			require.GreaterOrEqual(t, q.factor, 1)
			require.LessOrEqual(t, q.factor, most)
			if neighbours > 0 {
				require.Equal(t, neighbours < waitingMax, q.kept(), "%d neighbours: %+v", neighbours, q)
			}
		}
	}
}

func TestRuleByHand(t *testing.T) {
	for _, c := range []struct {
		neighbours, cache, asked, most int
		want                           quota
		kept                           bool
	}{
		{0, 0, 0, 1024, quota{256, 768, 0, 0}, true},
		{1, 0, 0, 1024, quota{256, 768, 1, 0}, true},
		{1, 0, 0, 100, quota{256, 100, 1, 0}, true},
		{1, 0, 1024, 100, quota{256, 1024, 1, 0}, false},
		{3, 0, 256, 100, quota{256, 256, 3, 0}, true},
		{3, 0, 257, 100, quota{256, 257, 3, 0}, false},
		{3, 100, 0, 1024, quota{256, 213, 3, 128}, true},
		{3, 1024, 0, 1024, quota{256, 256, 3, 1024}, false},
		{15, 0, 0, 1024, quota{256, 51, 15, 0}, true},
		{200, 0, 0, 1024, quota{128, 4, 200, 0}, true},
		{1023, 0, 0, 1024, quota{1, 1, 1023, 0}, true},
		{5000, 0, 0, 1024, quota{1, 1, 5000, 0}, false},
	} {
		q := share(c.neighbours, c.cache, c.asked, c.most)
		require.Equal(t, c.want, q)
		require.Equal(t, c.kept, q.kept(), "%+v", q)
	}
}

func TestBadConfig(t *testing.T) {
	for _, c := range []Config{
		{Log2Words: -1}, {Log2Words: 37}, {UpdatesPerWord: -4}, {UpdatesPerWord: math.NaN()}, {UpdatesPerWord: math.Inf(1)},
		{UpdatesPerWord: 1e300}, {UpdatesPerWord: 1e-9}, {Coalesce: -1}, {Epoch: -1},
	} {
		require.ErrorContains(t, c.Check(4), "randomaccess: ", "%+v", c)
	}
	require.Error(t, Config{}.Check(0))
	require.NoError(t, Config{}.Check(1))
	require.NoError(t, Config{Log2Words: 36}.Check(1000))
}
