// Package ingest reads files by all ranks of an Active Pebbles job: text, CSV, JSON, Avro, sequences and edges of
// graphs, plain or compressed.
//
//	trips, err := ingest.Open(r, []string{file.Name()}, ingest.CSV[trip](), ingest.Skip(1))
//	if err != nil {
//		return err
//	}
//	sum := 0.0
//	for t := range trips.All() {
//		sum += t.Miles
//	}
//	report, err := trips.Report() // with the error of any rank
//
// Open is collective: the ranks agree on the files and their sizes, and each gets a share of about the same number of
// bytes. Then each rank reads its records and sends them on. A record belongs to the rank of the share that contains
// its first byte.
//
// Plain files are cut anywhere, or between their blocks if the format has blocks. BGZF files are cut between their
// blocks, zstd files between their frames. One rank reads a plain gzip file, and a zstd file of one frame. The
// compression of a file follows from its first bytes, whatever its name.
//
// A record that cannot be read ends the loop with an error that names file, line and cause, unless Skip counts it and
// leaves it out. Memory is bounded: a rank holds one buffer, which grows up to the longest record (RowLimit), and a
// decompressor's window of at most 128 MiB.
//
// docs/guide-data.md compares the formats.
package ingest
