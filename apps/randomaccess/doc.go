// Package randomaccess is the RandomAccess benchmark of the HPC Challenge on Active Pebbles for Go (Active Pebbles,
// section
// 4.1): updates of random words of a table that is spread over all ranks, each a pebble of its own.
//
//	table[i] = i at the start, for every word i
//	table[key(ran)] ^= ran for every number ran of the stream
//
// The stream is that of the benchmark: x^1, x^2, ... in GF(2)[x]/(x^64 + x^2 + x + 1), each number the one before it
// shifted to the left by one. Rank r generates N of them from x^(rN+1) on, and jumps there at once. key takes the low
// bits of ran where the words of the table are a power of two, as the benchmark does. It is defined for such tables
// alone; for other numbers of ranks key scales ran to the table by a multiplication: the high 64 bits of ran × words.
//
// # The rule of 1,024
//
// The benchmark allows a rank at most 1,024 updates that it has generated and neither applied nor handed to the
// transport. They wait in the batch that is being generated, in the buffers for the neighbours, where updates that pass
// through the rank wait too, and in the reduction cache. By default the batch and the coalescing factor are made so
// small that the sum cannot pass 1,024; Result.HPCCRule reports whether it can.
//
// # What verification proves
//
// XOR undoes itself, so running the updates again must bring every word back to its own number: that is the benchmark's
// own check. It lets 1 % of the words be wrong; here none may be. Both runs use the same runtime, so more stands
// against what goes wrong in both in the same way. Handlers count: in each run they must be given as many updates as
// the configuration says, but for those that a cache has merged in the first. In the second run each update must be
// handled by the rank whose words it is for, by the formula above. That run takes another path: every update straight
// to its owner, with another coalescing factor and without a cache. And the XOR over the whole table after the first
// run must be that over all numbers of the stream, which has a closed formula, and of the words.
package randomaccess
