package randomaccess
import ("testing";"github.com/activepebbles/pebbles/apps/appstest";"github.com/activepebbles/pebbles/pebble";"github.com/activepebbles/pebbles/route")
func BenchmarkSmall(b *testing.B) {
	s := appstest.Shape{Ranks: 2, Procs: 1, Transport: "mem", New: route.Direct}
	for b.Loop() {
		u, sec := uint64(0), 0.0
		_ = s.Run(b, func(r *pebble.Rank) error {
			res, err := Run(r, Config{Log2Words: 13, UpdatesPerWord: 4000})
			if r.ID() == 0 { u, sec = res.Updates, res.Seconds }
			return err
		})
		b.ReportMetric(float64(u)/sec/1e6, "M/s")
	}
}
