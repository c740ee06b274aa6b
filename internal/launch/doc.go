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
// On every other host an agent is the launcher of that host's processes: the same executable, started by one ssh. It
// sends the launcher, over the standard output of ssh, where its processes listen, what they print and how they end,
// and gets the addresses of all once, and signals. So the launcher has one line for each host.
//
// Programs outside this module need nothing of this package: pebble.Main joins the job that a launcher has started, and
// pebble.Flags has what a program may set of that as flags. Package pebble and the command are the only users.
//
// [Run] is the launcher's side, [BeAgent] the agent's, [Join] the process's. The secret is never in an argument or in
// the environment: a process inherits a pipe that holds it, and an agent gets it on ssh's standard input.
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
// When a process ends with a status that is not 0, or by a signal, the others get a grace to end by themselves, then
// SIGTERM, one second later SIGKILL. Processes that end with [ExitFollower] say that they ended because of another one,
// and are never named as the first cause when there is a better one. They tell the launcher whom they have lost or
// waited for in vain ([Member].Complain): a process that was stopped is named so. When the launcher is gone, however it
// ended, every process that has joined is told at once ([Member].Within); on Linux the local ones also get SIGTERM from
// the kernel, and those on other hosts from their agent.
package launch
