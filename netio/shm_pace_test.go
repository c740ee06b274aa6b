package netio

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However long a rank has slept, it goes on to look around some times before it parks, so that it can learn that this pays again: also
// where ranks outnumber the cores of the host.
func TestPatienceComesBack(t *testing.T) {
	for _, onHost := range []int{1, 100 * runtime.NumCPU()} {
		p := paceOf(1, onHost)
		patience := p.most
		for range 100 {
			patience = p.learn(patience, time.Second)
		}
		require.Equal(t, 8, patience)
		for range 100 {
			patience = p.learn(patience, time.Microsecond)
		}
		require.Equal(t, p.most, patience)
		require.GreaterOrEqual(t, p.most, 512)
	}
}
