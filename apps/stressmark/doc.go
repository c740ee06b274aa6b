// Package stressmark is four of the DIS Stressmarks on Active Pebbles for Go, those that XLUPC runs (XLUPC, section
// 4.4): programs whose ranks read and write one distributed array of package memory, each element wherever it is.
//
//   - [Pointer]: every rank follows its own chain of pointers through the array: reads of a few words each, one after the other.
//   - [Update]: one rank does so, and writes a word at each hop, while the others have nothing to do.
//   - [Neighborhood]: a stencil: each rank looks at pairs of pixels of an image, some of them across the borders of its part.
//   - [Field]: each rank searches its part of a string, and a few bytes of the next, for tokens, which are then changed.
//
// The data is random, named by a seed. The answer of each does not depend on the number of ranks. Each has a serial
// twin, which has one slice and no ranks, and a verifier, which reads no distributed array. Times are those of accesses
// that wait, one after the other: nothing hides a latency here, for that is what is measured.
package stressmark
