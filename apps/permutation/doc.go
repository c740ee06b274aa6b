// Package permutation is the Permutation benchmark on Active Pebbles for Go (Active Pebbles, section 4.3): data that
// lies spread over all ranks is put in the order that a permutation, spread over all ranks too, asks for.
//
// Three arrays of N elements lie in blocks on the ranks: data, whose element i is an index into perm; perm, whose
// elements are places; and the result. When all is done, for every i in [0, N),
//
//	result[perm[data[i]]] = i
//
// Two handlers do it. Each element i starts as a pebble {data[i], i} to the rank that has that element of perm; the
// handler there writes perm[data[i]] into it and sends it on, to the rank that has that place of the result; the
// handler there puts i down. Both work on whole batches, in the memory that the pebbles came in.
//
// data and perm are pseudo-random permutations that the seed names, made by every rank for its own block alone. So the
// result can be checked without the arrays and without a pebble: each element is worked out again from the seed. An
// element that was handled at a wrong rank has another place, or lies in another rank's block, so that is checked too;
// and handlers count their pebbles, two for each element, so that none was handled twice. No index comes twice, so a
// reduction cache finds nothing to leave out here, and can only cost.
package permutation
