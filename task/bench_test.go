package task_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/activepebbles/pebbles/task"
)

// The cost of a switch against the number of tasks that take turns (Grappa, section 4: 38 ns).
func BenchmarkYield(b *testing.B) {
	for _, n := range []int{1, 10, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			one(b, n+1, func(s *task.Scheduler) func() {
				return func() {
					gate, begun, left := s.NewGate(), 0, b.N
					for range n {
						s.Go(func() {
							if begun++; begun == n {
								b.ResetTimer()
								gate.Open()
							}
							for gate.Wait(); left > 0; left-- {
								s.Yield()
							}
						})
					}
				}
			})
		})
	}
}

func BenchmarkGo(b *testing.B) {
	b.ReportAllocs()
	one(b, 100, func(s *task.Scheduler) func() {
		left := b.N
		var next func()
		next = func() {
			if left--; left > 0 {
				s.Go(next)
			}
		}
		return next
	})
}

// BenchmarkWaiting makes b.N tasks wait at a time, and reports the memory of each.
func BenchmarkWaiting(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	one(b, b.N+1, func(s *task.Scheduler) func() {
		return func() {
			gate, begun := s.NewGate(), 0
			for range b.N {
				s.Go(func() {
					if begun++; begun == b.N {
						runtime.ReadMemStats(&after)
						b.StopTimer() // wake-ups do not count
						gate.Open()
					}
					gate.Wait()
				})
			}
		}
	})
	b.ReportMetric(float64(after.Sys-before.Sys)/float64(b.N), "B/task")
}

// A task of a group, by Group.Go and by a kind, both on this rank, beside one without a group.
func BenchmarkGroups(b *testing.B) {
	for _, way := range []string{"Kind", "Group.Go", "GroupKind"} {
		b.Run(way, func(b *testing.B) {
			b.ReportAllocs()
			one(b, 10, func(s *task.Scheduler) func() {
				kind := task.NewKind(s, "kind", func(uint64) {})
				members := task.NewGroupKind(s, "members", func(*task.Group, uint64) {})
				return func() {
					g := s.NewGroup()
					for i := range b.N {
						switch way {
						case "Kind":
							kind.Spawn(uint64(i))
						case "Group.Go":
							g.Go(func() {})
						default:
							members.Spawn(g, uint64(i))
						}
						if i%100 == 99 {
							s.Yield()
						}
					}
					g.Wait()
				}
			})
		})
	}
}
