// Package launch starts Active Pebbles jobs of several processes, on this machine or over ssh, and joins a process to
// the job that started it.
//
//	launcher                                      process i
//	  make job id and secret, listen
//	  start process: job, place and address   ──► environment
//	                 secret                   ──► inherited descriptor
//	                                              Join: dial the launcher
//	            handshake: both prove the secret
//	                                          ◄── arrival: the address that process i listens on
//	  all have arrived: stop listening
//	                 departure: all addresses ──►
//	                                              connect with all others: tcp.Dial
//	            the line stays open: its end means that the launcher is gone
//	                                          ◄── complaint: the processes that it has lost
//
// Programs outside this module do not need this package: pebble.Main joins the job that a launcher has started, and
// pebble.Flags offers the settings of programs as flags. Package pebble and the command are the only users.
//
// [Run] is the launcher's side, [Join] the process's. The secret is never in an argument or in the environment: a local
// process inherits a pipe that holds it, a remote one gets it on ssh's standard input.
//
// # Signals
//
// Each process leads its own process group, so that the terminal's ^C reaches it once, through the launcher, and its
// children can be ended with it. SIGINT, SIGTERM, SIGHUP and SIGQUIT to the launcher are forwarded to all processes; a
// second SIGINT kills them, unless it comes within a tenth of a second of the first. A signal that comes before all
// have been started ends the job.
//
// # Ends
//
// When a process ends with a nonzero status, or by a signal, the others get a grace to end in order, then SIGTERM, and
// one second later SIGKILL. A process that ends with [ExitFollower] ended because of another one, and is named as the
// first cause only if no other fits. It reports the processes that it has lost or waited for in vain
// ([Member].Complain), which identifies a stopped process. When the launcher is gone, however it ended, every process
// that has joined is notified at once ([Member].Within). On Linux, the kernel also sends SIGTERM to the local ones; on
// other hosts, the shell that started a process ends it.
package launch
