// Package access measures what accesses of package memory cost, and verifies each of them. [Gather] is bale's
// indexgather and its relatives: every rank reads, or writes, random words of a table that is spread over all ranks, by
// batches, one after the other, or by plain loads for comparison. [Attend] reads a word of a rank that computes for
// long without a call of ours (XLUPC, section 4.6): by one-sided gets, which its process serves, or by questions and
// answers, for which it has to attend.
package access
