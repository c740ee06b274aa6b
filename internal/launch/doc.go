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
//	                                          ◄── complaint: who was lost, at the end of a process that has lost others
//
// Programs outside this module need nothing of this package: pebble.Main joins the job that a launcher has started, and
// pebble.Flags has what a program may set of that as flags. Package pebble and the command are the only users.
//
// [Run] is the launcher's side, [Join] the process's. The secret is never in an argument or in the environment: a local
// process inherits a pipe that holds it, a remote one gets it on ssh's standard input.
//
// # Signals
//
// Each process leads a process group of its own, so that the terminal's ^C reaches it once, through the launcher, and
// what it has started can be ended with it. SIGINT, SIGTERM, SIGHUP and SIGQUIT to the launcher are forwarded to all
// processes; a second SIGINT kills them, unless it comes within a tenth of a second of the first. A signal that comes
// before all have been started ends the job.
//
// # Ends
//
// When a process ends with a status that is not 0, or by a signal, the others get a grace to end by themselves, then
// SIGTERM, one second later SIGKILL. Processes that end with [ExitFollower] say that they ended because of another one,
// and are never named as the first cause when there is a better one. They tell the launcher whom they have lost or
// waited for in vain ([Member].Complain): a process that was stopped is named so. When the launcher is gone, however it
// ended, every process that has joined is told at once ([Member].Within); on Linux the local ones also get SIGTERM from
// the kernel, and what runs on other hosts is ended by the shell that started it.
package launch
