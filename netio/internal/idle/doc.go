// Package idle implements the waiting of ranks and of transports' goroutines: they spin up to an adaptive limit, yield
// where cores are shared, then park. Its numbers stand in one table, numbers.go, with the reason for each.
//
//   - [Parking] is the place where one goroutine sleeps without losing a wake-up.
//   - [Streak] ends a run of idle polls that takes long, beside other programs.
//   - [Policy] sets the looks and yields of a poll by the number of ranks that share the cores.
package idle
