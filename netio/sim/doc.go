// Package sim is the simulated transport of Active Pebbles: the real runtime runs on it, under a seeded scheduler and a
// virtual clock, with as many ranks as memory allows.
//
// A [World] is one job. Each of its processes is a netio.Transport for a pebble.Run of its own; all of them live in this
// process. A rank's function is a coroutine, and one rank runs at a time: so the same seed gives the same run, to the byte
// of its trace. Frames take the time that LogGP says (Active Pebbles, section 3), and what ranks do with pebbles takes the time that
// the [Network] says; nothing else does, unless the program tells by Rank.Compute.
//
// Causality is kept by being conservative: a rank that looks for what has arrived goes on only while its clock is at most
// one shortest latency ahead of all other ranks, since nothing that they could still send would come sooner.
//
// Ranks must wait for each other by the runtime alone. One that blocks in another way, on a channel or a lock that another rank holds,
// stops the world.
package sim
