// Package idle is how ranks and the goroutines of transports wait: they spin up to an adaptive limit, yield where cores are
// shared, then park. Its numbers stand in one table, numbers.go, with the reason for each.
//
//   - [Parking] is where one goroutine sleeps without losing a wake-up.
//   - [Streak] ends a run of idle polls that takes long, as it does beside other programs.
//   - [Policy] says how many looks and yields a poll has, by how many ranks share the cores.
package idle
