// Package collective holds the collectives of Active Pebbles as nonblocking state machines: each is a short list of
// steps for one rank, and a [Machine] runs them as far as arrived messages allow. Termination detection and the
// collectives that users call run on the same machines.
//
// The costs over P ranks; a round is the time of one message, and a rank sends at most one message per round:
//
//	collective     method               messages of a rank     rounds                  bytes of a rank, for values of b
//	Barrier        dissemination        ⌈log2 P⌉               ⌈log2 P⌉                0
//	AllReduce      recursive doubling   ⌈log2 P⌉ at most       ⌊log2 P⌋, or 2 more     ⌈log2 P⌉ b at most
//	ReduceScatter  halving              ⌈log2 P⌉               ⌈log2 P⌉                (P-1) b
//	AllGather      Bruck                ⌈log2 P⌉               ⌈log2 P⌉                (P-1) b
//	AllGatherV     Bruck                ⌈log2 P⌉               ⌈log2 P⌉                those of all ranks but its own
//	Scan           Hillis and Steele    ⌈log2 P⌉ at most       ⌈log2 P⌉                ⌈log2 P⌉ b at most
//	Broadcast      binomial tree        P-1 of all ranks       ⌈log2 P⌉                (P-1) b of all ranks
//	Gather         binomial tree        P-1 of all ranks       ⌈log2 P⌉                (P/2) b at most
package collective
