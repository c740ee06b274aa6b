package nbody

import (
	"fmt"
	"testing"
)

// BenchmarkSerial finds all forces of Plummer's model by the serial twin, the building of the tree included.
func BenchmarkSerial(b *testing.B) {
	for _, particles := range []int{36_000, 200_000} {
		b.Run(fmt.Sprint(particles), func(b *testing.B) {
			c := Config{Source: system(b, particles, 1)}
			total := 0.0
			for b.Loop() {
				r, err := Serial(c)
				if err != nil {
					b.Fatal(err)
				}
				total += float64(r.Interactions)
			}
			b.ReportMetric(total/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}
