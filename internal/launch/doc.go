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
// On every other host, an agent starts that host's processes. It is the launcher's executable, started by one ssh. Over
// the standard output of ssh it sends the launcher the addresses, output and exit statuses of its processes. It
// receives the addresses of all processes once, and signals. So the launcher has one connection per host.
//
// Programs outside this module do not use this package: pebble.Main joins the job of a launcher, and pebble.Flags
// offers the settings of a program as flags. The only users are package pebble and the command.
//
// [Run] is the launcher's side, [BeAgent] the agent's, [Join] the process's. The secret is never in an argument or in
// the environment: a process inherits a pipe that holds it, and an agent gets it on ssh's standard input.
//
// # Signals
//
// Each process leads its own process group: the terminal's ^C reaches it once, through the launcher, and its children
// can be ended with it. The launcher forwards SIGINT, SIGTERM, SIGHUP and SIGQUIT to all processes. A second SIGINT
// kills them, unless it follows the first within a tenth of a second. A signal that comes before all have been started
// ends the job.
//
// # Ends
//
// When a process ends by a signal or with a status other than 0, the others get a grace, then SIGTERM, and one second
// later SIGKILL. A process that ends because of another one exits with [ExitFollower], and is never named as the first
// cause when a better one is known. It reports the processes that it has lost or awaited in vain ([Member].Complain),
// so the launcher can name a stopped one. When the launcher ends for any reason, every joined process is told at once
// ([Member].Within). On Linux, the kernel also sends SIGTERM to local processes, and agents send it to theirs.
package launch
