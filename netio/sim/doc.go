// Package sim is the simulated transport of Active Pebbles. The real runtime runs on it, under a seeded scheduler and a
// virtual clock, with as many ranks as memory allows.
//
// A [World] is one job. Each of its processes is a netio.Transport for its own pebble.Run, and all of them live in this
// process. A rank's function is a coroutine, and one rank runs at a time, so the same seed gives the same run, to the
// byte of its trace (pebble.Watch). Frames take time by LogGP (Active Pebbles, section 3), and a rank's work on pebbles
// takes the times of the [Network]. Everything else takes no time, unless the program calls Rank.Compute.
//
// The simulation is conservative. A rank that receives continues only while its clock is at most the shortest latency
// ahead of all other ranks, since nothing that they still send can arrive sooner.
//
// Ranks must wait for each other only through the runtime. A rank that blocks on a channel, or on a lock that another
// rank holds, stops the whole simulation.
package sim
