package launch

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCrowd(t *testing.T) {
	t.Setenv(varThreads, "") // restores it
	os.Unsetenv(varThreads)
	few, many := &Spec{Processes: crowdMin*runtime.NumCPU() - 1}, &Spec{Processes: crowdMin * runtime.NumCPU()}
	require.Empty(t, few.crowded())
	require.Equal(t, []string{"GOMAXPROCS=1"}, many.crowded())
	many.Env = []string{"GOMAXPROCS=2"}
	require.Empty(t, many.crowded(), "the user's word counts")
	many.Env = nil
	t.Setenv(varThreads, "8")
	require.Empty(t, many.crowded())
}
