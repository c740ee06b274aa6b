// Package worlds tests the runtime in many small simulated jobs, drawn by seed: ranks, processes, topology, detector,
// sizes, caches, credit, faults and a program. After each epoch every rank compares the results of its handlers with a
// serial twin. So the tests find lost, duplicated and late pebbles, hangs, exceeded limits, and frames that are never
// released. A failing world is shrunk while it fails; its text form runs it again.
//
// In worlds of another kind, processes connect by package netio/tcp over a network in memory with faults, in virtual
// time, and send frames to each other.
package worlds
