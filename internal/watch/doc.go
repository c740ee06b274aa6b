// Package watch watches a job from beside it. In each process one goroutine looks, once a second, at what the ranks
// there have published (internal/watch/board), and tells process 0 how far they have come: two numbers. Process 0 adds
// them up. When no rank of the job has moved for a while though some wait, it asks all processes for details, and
// writes a report. The same details make the page, the metrics and the records.
//
// A job stands still by exact counts: of pebbles, frames, operations, tasks and calls, by rank. Time counts only while
// this process has run: a process that was stopped, or is under a debugger, raises no alarm.
package watch
