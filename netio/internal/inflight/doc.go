// Package inflight keeps count of the frames that are between two processes: sent, and not yet known to be released.
//
// A [Table] at the sender holds what it has sent until the receiver acknowledges the release. So the table bounds both ends: the
// memory of frames at the sender, which are lent meanwhile, and that of their copies at the receiver. How many there are at once is
// up to the sender's credit and memory limit, and over shared memory at most [SharedMax] for each rank.
//
// Acknowledgements gather at the receiver, since each costs a cache line or a message, and are told
//
//   - promptly, when the sender asks for it ([Prompter]) or the receiver's rank has nothing else to do,
//   - together, after [AckTogether] frames over shared memory,
//   - and within [DelayMax], by a [DelayedFlush], when the rank is busy with something else.
package inflight
