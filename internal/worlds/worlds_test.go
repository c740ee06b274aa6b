package worlds

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

var (
	seedFlag  = flag.Uint64("seed", 1, "seed of the worlds")
	worldFlag = flag.String("world", "", "run this world alone")
	countFlag = flag.Int("worlds", 300, "how many worlds to run")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWorlds(t *testing.T) {
	if *worldFlag != "" {
		w, err := Parse(*worldFlag)
		require.NoError(t, err)
		_, err = w.Run()
		require.NoError(t, err)
		return
	}
	t.Logf("-seed=%d", *seedFlag)
	for i := range *countFlag {
		w := Draw(mix(*seedFlag, uint64(i)))
		_, err := w.Run()
		require.NoError(t, err, "-world='%v'", w)
	}
}

func TestText(t *testing.T) {
	for seed := range uint64(1000) {
		w := Draw(seed)
		again, err := Parse(w.String())
		require.NoError(t, err)
		require.Equal(t, w, again)
	}
}
