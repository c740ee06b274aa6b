// Package collective holds the collectives of Active Pebbles as nonblocking state machines: each is a short list of
// steps for one rank, and a [Machine] runs them as far as arrived messages allow. Termination detection and the
// collectives that users call run on the same machines.
//
// A rank sends only to ranks whose numbers differ from its own in one bit, for any number of ranks. So it has at most
// ⌈log2 P⌉ partners in all collectives together: its neighbours in a hypercube.
//
// The costs over P ranks, with ⌈⌉ for ⌈log2 P⌉; a round is the time of one message, and a rank sends at most one
// message per round. Exchanges take ⌊log2 P⌋ rounds, and two more if P is no power of two:
//
//	collective     method               messages of a rank     rounds      bytes of a rank, for values of b
//	Barrier        recursive doubling   ⌈⌉ at most             exchange    0
//	AllReduce      recursive doubling   ⌈⌉ at most             exchange    ⌈⌉ b at most
//	ReduceScatter  recursive halving    ⌈⌉ at most             exchange    P b at most
//	AllGather      recursive doubling   ⌈⌉ at most             exchange    (P-1) b, or less than 3P b
//	Scan           Hillis and Steele    ⌈⌉ at most             ⌈⌉          ⌈⌉ b at most
//	Broadcast      binomial tree        P-1 of all ranks       ⌈⌉          (P-1) b of all ranks
//	Gather         binomial tree        P-1 of all ranks       ⌈⌉          2^(⌈⌉-1) b at most
package collective
