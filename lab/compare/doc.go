// Command compare runs our command and its peers alternately: our MPI programs (lab/peers), and HPCC's MPIRandomAccess
// from Debian and with Sandia's algorithms. `make -C lab compare` builds them all and calls it.
//
//	compare -programs built                        # measure, print tables
//	compare -programs built -small                 # run each once, tiny: do they work, and find their work right?
//	compare hpcc -log2-words 20                    # one run of Debian's HPCC, as one JSON object
//	compare hpcc -log2-words 20 -program PROGRAM   # the same of lab/peers/hpcc/randomaccess.c
//	compare frames -bytes 64                       # a ping-pong of frames; pebbles run starts it as two processes
//
// All get the same work and the same number of processes, and each verifies its work. Where the work has a checksum or
// a known answer, all must give the same.
package main
