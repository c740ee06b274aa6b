// Command compare runs our command and its peers alternately: MPI programs of our own (lab/peers), and HPCC's
// MPIRandomAccess as Debian ships it and with Sandia's algorithms. `make -C lab compare` builds them all and calls it.
//
//	compare -programs built                        # measure, print tables
//	compare -programs built -small                 # run each once, tiny: do they work, and find their work right?
//	compare hpcc -log2-words 20                    # one run of Debian's HPCC, as one JSON object
//	compare hpcc -log2-words 20 -program PROGRAM   # the same of lab/peers/hpcc/randomaccess.c
//	compare frames -bytes 64                       # a ping-pong of frames; pebbles run starts it as two processes
//
// All are given the same work and as many processes, and each verifies its own; where the work has a checksum or a
// known answer, all must have the same.
package main
