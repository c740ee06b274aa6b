package idle

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However long a rank has slept, it goes on to look around some times before it parks, so that it can learn that this pays again: also
// where ranks outnumber the cores of the host.
func TestSpinLimitComesBack(t *testing.T) {
	for _, onHost := range []int{1, 100 * runtime.NumCPU()} {
		p := PolicyFor(1, onHost)
		limit := p.Max
		for range 100 {
			limit = p.Learn(limit, time.Second)
		}
		require.Equal(t, 8, limit)
		for range 100 {
			limit = p.Learn(limit, time.Microsecond)
		}
		require.Equal(t, p.Max, limit)
		require.GreaterOrEqual(t, p.Max, 512)
	}
}
