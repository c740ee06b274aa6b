package launch

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOversubscription(t *testing.T) {
	t.Setenv(varThreads, "") // restores it
	os.Unsetenv(varThreads)
	least := oversubscribedMin * runtime.NumCPU()
	few, many := &Spec{Processes: least - 1}, &Spec{Processes: least}
	require.Empty(t, few.oversubscribed())
	require.Equal(t, []string{"GOMAXPROCS=1"}, many.oversubscribed())
	many.Env = []string{"GOMAXPROCS=2"}
	require.Empty(t, many.oversubscribed(), "the user's word counts")
	many.Env = nil
	t.Setenv(varThreads, "8")
	require.Empty(t, many.oversubscribed())
}
