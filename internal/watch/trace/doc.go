// Package trace writes what the ranks of a job do, and when, for the viewer of https://ui.perfetto.dev. Each process
// writes a file of its own, a [File], and [Merge] puts those of a job together.
//
// # From a rank to the file
//
// Each [Rank] has a ring of 4,096 events. Its goroutine puts events in, and the goroutine that calls [File.Drain]
// takes them out; neither waits for the other. An event that finds the ring full is dropped and counted. Of frequent
// kinds ([Kind.Frequent]) only a sample is kept, see [Rank.Sampled]; an event that stands for more than itself says
// for how many, as its "weight".
//
// The ranks of a simulated job run one at a time. They write what they tell at once, all of it, into one file that the
// processes of the job share ([Join]). So the same run gives the same bytes.
//
// # Names of files
//
// A process that is alone writes FILE. Process p of several writes to FILE with its number before the extension:
// process 3 writes trace-3.pftrace where trace.pftrace was asked for. A file that is there is replaced.
//
// # Format
//
// A file is a Trace of Perfetto's: TracePackets, each after its length. So a file that is cut is whole up to the cut,
// and files behind each other are one trace. Each process writes one packet sequence, whose number is the process's
// plus 1; texts are interned in it.
//
// Tracks are in groups. The process has a process track, "process 3 on host". Its pid there is the process's number
// plus 1, since two hosts may use the same PID; the true one is among what the instant "job" says, which each file has
// on its process track, with all else that [Merge] needs to know. A rank has a thread track, "rank 17", with its
// epochs and collectives. The other kinds have tracks of their own below it, in the order of the kinds: so a handler
// is drawn under the epoch around it.
//
// # Order
//
// Slices come when they end, so that what is inside comes before what is around it. Files don't wait for the latter,
// which may take hours. On one track, though, slices must be in order or be nested. So each kind has up to 8 lanes,
// tracks of equal name, which the viewer draws as one. A slice goes to the first lane where it doesn't begin before
// the last one there has ended, and its begin and end are written at once. So each track is in the order of time, and
// slices on it neither overlap nor nest, whatever the callers do. A slice that finds no lane is left out and counted.
//
// # Clocks
//
// Times of events are on the job's clock; it may be simulated. The file has them in nanoseconds of wall time:
// [Config.Started], which is wall time at zero of the job's clock, plus the event's. So processes whose clocks began
// at different moments are aligned as well as the clocks of their hosts are. A ClockSnapshot says that the trace's
// clock is wall time. [Merge] puts the file whose clock began first first, since snapshots must not go back, and says
// when starts are so far apart that the hosts' clocks must be wrong.
//
// # Bounds
//
// A file takes 256 MiB at most, unless [Config.Bytes] has another bound. When seven eighths are used, frequent kinds
// are left out; when all but 12 KiB are, everything is. Instants "events left out", on the process track, say how many
// events are missing so far, and why: because a ring was full, because the file was, because the disk refused them, or
// because they found no lane.
//
// # Crashes
//
// Drain hands to the system what it has: from then on the death of the process harms nothing of it. What is lost is
// what came after the last Drain, and slices that had not ended. A disk that is full or fails is told of once; the
// next Drain tries again. What a failed write has left in the file is cut off, so that what follows can be read.
package trace
