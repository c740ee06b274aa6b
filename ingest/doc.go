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
// Open is collective: the ranks agree on the files and their sizes, and each gets a share of about as many bytes. Then
// each rank reads its records, and sends what they say to whom it concerns. A record that lies across the border of two
// shares belongs to the rank in whose share it begins.
//
// Plain files are cut anywhere, or between their blocks where the format has some. Of compressed ones, BGZF is cut
// between its blocks and zstd between its frames. A plain gzip file and a zstd file of one frame are read by one rank.
// What compresses a file is told by its first bytes, whatever its name.
//
// A record that cannot be read ends the loop with an error that names file, line and cause, unless Skip lets it be
// counted and left out. Memory is bounded: a rank holds one buffer, which grows up to the longest record (RowLimit),
// and a decompressor's window of at most 128 MiB.
//
// docs/guide-data.md says which format is for what.
package ingest
