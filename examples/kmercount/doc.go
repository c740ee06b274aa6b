// Kmercount counts the k-mers of sequences, all pieces of 31 bases, in a container.Counter, and prints the most
// frequent ones. A k-mer and its reverse complement count as one.
//
//	go run ./examples/kmercount -n 20 reads_*.fastq.gz
//	go run ./examples/kmercount -fasta genome.fa
//
// docs/guide-containers.md walks through it.
package main
