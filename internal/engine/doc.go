// Package engine runs one rank of a job: it takes in frames, hands them to targets, ends epochs, runs collectives,
// spreads marks and settings, and ends the job when it fails. Packages pebble and target are its face. A program never
// sees it.
//
// A [Rank] is for one goroutine. A target is an [Endpoint] that [Rank.Register] adds to it; the engine calls endpoints
// once a frame, never once a pebble.
//
// The files of testdata show ranks at work, step by step.
package engine
