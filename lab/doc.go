// Package lab measures programs against each other on one machine.
//
// A [Case] is a command line that does some work, verifies it, and prints one JSON object. A [Group] holds cases for
// comparison. [Alternate] runs the cases of a group in turn, repeatedly, so that a drift of the machine affects all of
// them. It returns [Results]: every sample, the result of the work, and the state of the machine before and after each
// run. Results are kept in files ([Results.Write], [Read]), shown ([Results.Table], [Section]) and compared with each
// other ([Compare]).
//
// Figures from different minutes on a shared machine are not comparable. Compare a case's ratio to another case of its
// group, from adjacent runs ([Result.Ratios]).
package lab
