// Package record is what a job writes of itself while it runs, and what can be read from it after its death. A
// [Writer] writes the record of one process, a [Launcher] that of the launcher. [Read] reads a folder of them, and
// [Record.Text] and [Record.HTML] tell what is in it.
//
// # Files
//
// All files of a job are in one folder, and a folder holds one job:
//
//	JOB.p00003.000000.rec   process 3, its first segment
//	JOB.p00003.000017.rec   process 3, a later segment
//	JOB.launcher.rec        the launcher
//
// JOB is the job's id as far as names of files can hold it. Hosts that don't share the folder write one each; whoever
// reads copies their files together.
//
// # Lines
//
// A file is text: one line for each thing, with a JSON object at its end.
//
//	1c9f3b07 187 rank {"n":12,"rank":3,"doing":"waiting",...}
//
// The first word is the CRC32C of all between the second space and the newline, in hexadecimal digits; the second is
// how many bytes that is; the third is what the line is. So `cut -d' ' -f4- FILE | jq .` shows a file. A line is at
// most 64 KiB long. Lines that are damaged or cut are skipped, and told of.
//
//	job      the first line of each segment: the job, its settings, the process, and the names of what is in arrays
//	second   one a second: number, time, verdict, memory of the process; the ranks' lines follow
//	rank     what is new of a rank since its line before
//	failed   the process has learned that the job fails, and by which process's fault
//	end      the process has ended: in order when "how" is empty
//	launch   the first line of a launcher's file
//	ended    the launcher has seen a process end
//
// In rank lines "counters" and "seconds_ms" are what was added since the rank's line before, in the order of the names
// in the job line, and zeros at their end are left out. Where "whole" is true they are counted from the rank's
// beginning: in the first second of a segment, after seconds that could not be written, and in every 32nd second. What
// a rank line does not have of "call", "status", "memory", "links" and "stack" is as it was, or empty in a whole line.
// "memory" is held, peak, queued and limit. A rank of which nothing has changed has no line. Of events and links the
// line has what fits: the fullest links and the latest events, waits after all others; "dropped" counts events that
// did not fit, and "overrun" says that more had happened than the rank keeps. An event that has found its end comes
// again, with it.
//
// # Bounds
//
// Lines are about 1 KiB a rank and second at most, together with the process's own: what does not fit is left out.
// Files are 64 MiB a process, unless [Create] was told another bound. The first segment takes an eighth of it and is
// kept; the others take a sixteenth each, and when there is no room for a new one, the oldest but the first is
// removed. So what is lost are the oldest seconds after the start. Since each segment begins with whole lines,
// counters stay right, and rates across the gap are its mean. A process never has less than 32 KiB for each of its
// ranks: a few seconds.
//
// # Crashes
//
// Each second is handed to the system in one write, by a goroutine of the Writer's: from then on the death of the
// process harms nothing of it. There is no sync: a host that crashes may lose what its system had not written yet,
// half a minute or so. A disk that is full or fails is told once; the Writer tries again every second, and the record
// says how many writes are missing. A disk that is slow costs seconds of the record, not time of the caller: while
// four batches wait to be written, seconds are skipped, and the next one that is written covers them. [Writer.Failed]
// waits for the disk for at most 1 second, and [Writer.Close] for at most 2.
package record
