package page

import "testing"

// What a job of 4,096 ranks costs a second, while somebody looks.
func BenchmarkView(b *testing.B) {
	j := newMadeUp(4096, "running").Job()
	for b.Loop() {
		encode(ViewOf(j))
	}
}

func BenchmarkMetrics(b *testing.B) {
	j := newMadeUp(4096, "running").Job()
	for b.Loop() {
		metrics(j)
	}
}

func BenchmarkJob(b *testing.B) {
	j := newMadeUp(4096, "running").Job()
	for b.Loop() {
		encode(j)
	}
}
