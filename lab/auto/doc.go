// Command auto compares jobs that tune themselves with the best setting of a full sweep: for each application over each transport, it
// runs every topology, coalescing factor and cache in turn, takes the one with the best median, and runs that again, alternately
// with the defaults, with auto as a newcomer has it after pebbles fit, and with auto after pebbles tune. make -C lab auto runs it.
//
// The best of many noisy settings looks better than it is, which is why it is measured anew beside the others.
package main
