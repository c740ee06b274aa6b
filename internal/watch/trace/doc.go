// Package trace records the activity of a job's ranks over time, for the viewer of https://ui.perfetto.dev. Each
// process writes its own file, a [File], and [Merge] joins the files of a job.
//
// # From a rank to the file
//
// Each [Rank] has a ring of 4,096 events. Its goroutine puts events in, and the goroutine that calls [File.Drain] takes
// them out; neither waits for the other. An event that finds the ring full is dropped and counted. Of frequent kinds
// ([Kind.Frequent]) only a sample is kept, see [Rank.Sampled]. An event that represents several has their number as its
// "weight".
//
// The ranks of a simulated job run one at a time. They write all their events immediately, into one file that the
// processes of the job share ([Join]). So the same run gives the same bytes.
//
// # Names of files
//
// The only process of a job writes FILE. Process p of several adds its number before the extension: process 3 writes
// trace-3.pftrace for trace.pftrace. An existing file is replaced.
//
// # Format
//
// A file is a Trace of Perfetto: TracePackets, each after its length. So a truncated file is whole up to the cut, and
// concatenated files are one trace. Each process writes one packet sequence, whose number is the process's plus 1; its
// texts are interned.
//
// Tracks are in groups. The process has a process track, "process 3 on host". Its pid there is the process's number
// plus 1, since two hosts may use the same PID. The true PID is in the instant "job", which each file has on its
// process track, with all other data for [Merge]. A rank has a thread track, "rank 17", with its epochs and
// collectives. The other kinds have their own tracks below it, in the order of the kinds, so a handler is drawn under
// the epoch around it.
//
// # Order
//
// Slices are written when they end, so an inner slice comes before the slice around it. Files do not wait for outer
// slices, which may take hours. On one track, though, slices must be in order or be nested. So each kind has up to 8
// lanes, tracks of equal name, which the viewer draws as one. A slice goes to the first lane whose last slice has ended
// when it begins, and its begin and end are written together. So each track is in the order of time, and slices on it
// neither overlap nor nest, whatever the callers do. A slice that finds no lane is left out and counted.
//
// # Clocks
//
// Times of events are on the job's clock, which may be simulated. The file has nanoseconds of wall time:
// [Config.Started], the wall time at zero of the job's clock, plus the event's time. So processes whose clocks began at
// different moments are aligned as well as the clocks of their hosts are. A ClockSnapshot makes wall time the trace's
// clock. [Merge] puts the file whose clock began first first, since snapshots must not go back, and reports starts that
// are too far apart for correct clocks.
//
// # Bounds
//
// A file takes 256 MiB at most, unless [Config.Bytes] sets another limit. When seven eighths are used, frequent kinds
// are left out. When only 12 KiB remain, all events are. Instants "events left out", on the process track, count the
// missing events by cause: the ring was full, the file was full, the disk refused them, or they found no lane.
//
// # Crashes
//
// Drain passes its events to the system. From then on the death of the process cannot harm them. The events since the
// last Drain, and unfinished slices, are lost. An error of the disk, such as a full one, is reported once, and the next
// Drain tries again. It cuts off the remains of a failed write, so that later events can be read.
package trace
