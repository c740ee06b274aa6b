// Package worlds tests the runtime in many small simulated jobs, drawn by seed: ranks, processes, topology, detector,
// sizes, caches, credit, faults and a program. After each epoch every rank compares the results of its handlers with a
// serial twin; so a pebble that is lost, duplicated or late is found, as are hangs, exceeded limits and frames that are
// never released. A world that fails is shrunk while it fails, and its text form runs it again.
package worlds
