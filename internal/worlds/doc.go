// Package worlds tries the runtime in many small simulated jobs, drawn by seed: ranks, processes, topology, detector, sizes,
// caches, credit, faults and a program. After each epoch every rank compares what its handlers have seen with a serial twin; so a pebble
// that is lost, doubled or late is found, as are hangs, limits that are passed and frames that don't come back. A world that fails is
// made smaller while it fails, and its text runs it again.
package worlds
