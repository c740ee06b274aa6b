// Package engine runs one rank of a job: it receives frames, delivers them to targets, ends epochs, runs collectives,
// distributes marks and settings, and ends the job when it fails. Packages pebble and target are its interface to
// programs.
//
// A [Rank] is for one goroutine. A target is an [Endpoint] that [Rank.Register] adds to it; the engine calls endpoints
// once per frame, never once per pebble.
//
// The files of testdata show ranks at work, step by step.
package engine
