// Package contagion simulates how a disease goes through a population whose people meet at locations (EpiSimdemics:
// TRAM, section VI B; its open successor is Loimos). On each day, persons send a visit to each location that they go
// to, a pebble of 36 bytes; when all have come, a location sweeps the arrivals and departures in order of time, and
// sends an exposure to each susceptible person for each infectious one met; when these have come, persons are
// infected, or not, by what their exposures add up to, and go on in their disease: two epochs a day.
//
// # The same answer everywhere
//
// A simulation has one answer, bit by bit, on any number of ranks, over any network and with any buffers and caches:
// random numbers are counted by what they are for (package chance), a location sorts its visits before it looks at
// them, and propensities are added up as whole numbers of 2^-48. Who has infected somebody is drawn among the
// exposures by a race of waiting times, of which the shortest wins: it needs no order and no list. So exposures to
// one person may be merged on their way.
//
// With [Config.Loimos] numbers are drawn as Loimos draws them, by the engine of each person and each location; the
// epidemic is then that of Loimos to the last person.
//
// # What verification proves
//
// Handlers count visits and exposures, with their fingerprints, and whether they are at their owner; merged exposures
// must add up to those sent. On each day all people must be in some state. And where a simulation is small, rank 0
// runs its serial twin, whose curve and infections must be the same.
package contagion
