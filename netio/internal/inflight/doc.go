// Package inflight counts the frames between two processes: sent, and not yet known to be released.
//
// A table at the sender holds its frames until the receiver acknowledges their release. The table bounds the memory of
// both ends: of frames at the sender, which stay lent, and of their copies at the receiver. The number of frames
// depends on the sender's credit and memory limit. Over shared memory it is at most [SharedMax] for each rank.
//
// Acknowledgements gather at the receiver, since each costs a cache line or a message. They are sent
//
//   - promptly, when the sender asks for it ([Prompter]) or the receiver's rank has nothing else to do,
//   - together, after [AckTogether] frames over shared memory,
//   - and within [DelayMax], by a [DelayedFlush], when the rank is busy with other work.
package inflight
