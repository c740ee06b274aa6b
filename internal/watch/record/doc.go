// Package record writes the record of a running job and reads it after the job's death. A [Writer] writes the record of
// one process, a [Launcher] that of the launcher. [Read] reads the folder of a job; [Record.Text] and [Record.HTML]
// report its contents.
//
// # Files
//
// All files of a job are in one folder, and a folder holds one job:
//
//	JOB.p00003.000000.rec   process 3, its first segment
//	JOB.p00003.000017.rec   process 3, a later segment
//	JOB.launcher.rec        the launcher
//
// JOB is the job's id, or a hash of it if a file name cannot hold it. Hosts without a shared folder write one each:
// copy their files together before you read them.
//
// # Lines
//
// A file holds lines of JSON (`jq . FILE` shows them). Each is an object with one field:
//
//	job      the first line of each segment: the job, its settings and the process
//	second   one per second: time, verdict and memory of the process; the lines of its ranks follow
//	rank     the state of a rank, as /job.json of the page shows it, with the events since the previous line
//	failed   the process has noticed the failure of the job: its cause, and the process that caused it
//	end      the process or the launcher has ended: in order if "how" is empty
//	launch   the first line of the launcher's file
//	ended    the launcher has seen a process end
//
// Counters are totals, so a lost line costs no more than its second. An event without an end is written again when it
// ends. A line has at most 16 new events, the latest, and waits only if no other event needs the space; "dropped"
// counts the others. The reader skips and reports a line that is damaged or cut, and ignores unknown fields.
//
// # Bounds
//
// A rank takes 1 to 2 KiB per second, up to 4 KiB with many events. The files of a process take 64 MiB unless [Create]
// is given another bound. The first segment takes an eighth of it and is kept; each other segment takes a sixteenth.
// The oldest but the first is removed to make room for a new one, so the record keeps the start and the latest seconds.
//
// # Crashes
//
// A goroutine of the Writer writes each second with one call: from then on the death of the process cannot harm it.
// There is no sync: a crash of the host may lose about half a minute. A full or failing disk is reported once; the
// Writer tries again every second and records the number of refused writes. A slow disk costs seconds of the record,
// not time of the caller: while four batches wait for the disk, seconds are skipped. [Writer.Failed] waits for the disk
// for at most 1 second, and [Writer.Close] for at most 2.
package record
