// Package treadmarks has the programs by which TreadMarks over GM was measured, on shared pages (package
// memory/pages), and two more. All are verified.
//
//   - Barrier, Lock, Page, Diff: what the operations of shared pages cost (Noronha and Panda, section 3.2).
//   - Jacobi, SOR, TSP, FFT: its four programs, with their sizes (section 3.3, table 1).
//   - SpMV: a sparse matrix times a vector, again and again, by pages, by gathers and by pebbles.
//   - BucketSort: a sort of random keys, in which all ranks write to the same pages of counts.
//
// Each program has a serial twin, which does the same work on one slice, and whose time is told beside its own.
// Jacobi, SOR, FFT, SpMV and BucketSort must agree with their twins to the last bit, whatever the number of ranks;
// TSP in the length of the tours. What is shared lies in blocks of whole rows, so that no row has two homes.
package treadmarks
