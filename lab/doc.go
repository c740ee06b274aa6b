// Package lab measures programs against each other on one machine.
//
// A [Case] is a command line that does some work, verifies it, and prints one JSON object; a [Group] holds the cases
// that are compared. [Alternate] runs the cases of a group in turn, again and again, so that a drift of the machine
// affects all of them, and returns [Results]: every sample, the result of the work, and the state of the machine before
// and after each run. Results are kept in files ([Results.Write], [Read]), shown ([Results.Table], [Section]) and
// compared with each other ([Compare]).
//
// Figures of different minutes on a shared machine can't be compared. Compare a case's ratio to another case
// of its group, from runs that stand next to each other ([Result.Ratios]).
package lab
