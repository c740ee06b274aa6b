package record

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkSecond is what a second costs its caller, by ranks that are as busy as they can be.
func BenchmarkSecond(b *testing.B) {
	job := jobOf("j1", 1, 64)
	p := &job.Processes[0]
	random := rand.New(rand.NewPCG(1, 2))
	w, err := Create(b.TempDir(), job, 0, 0)
	require.NoError(b, err)
	for s := range b.N {
		b.StopTimer()
		step(random, p, s, ringFull)
		settle(b, w)
		b.StartTimer()
		require.NoError(b, w.Second(after(float64(s)), p, 0, "it moves"))
	}
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*64), "µs/rank")
	require.NoError(b, w.Close(after(0), ""))
}
