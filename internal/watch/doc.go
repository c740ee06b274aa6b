// Package watch watches a job from outside its ranks. In each process one goroutine looks, once a second, at the
// published state of the ranks (internal/watch/board), and sends process 0 their progress: two numbers. Process 0 adds
// them up. When no rank of the job has moved for a while although some wait, it asks all processes for details, and
// writes a report. The page, the metrics and the records use the same details.
//
// The progress of a job is measured by exact counts: of pebbles, frames, operations, tasks and calls, by rank. Time
// counts only while this process has run: a process that was stopped, or is under a debugger, raises no alarm.
package watch
