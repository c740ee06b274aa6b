package kmers

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// named returns the format of a file's name: "FASTQ", "FASTA" or "".
func named(file string) string {
	name := strings.ToLower(file)
	for _, packed := range []string{".gz", ".bgz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch filepath.Ext(name) {
	case ".fastq", ".fq":
		return "FASTQ"
	case ".fasta", ".fa", ".fna", ".ffn":
		return "FASTA"
	}
	return ""
}

// checkFormats returns an error if the files' names imply two formats.
func checkFormats(files []string) error {
	first := ""
	for _, file := range files {
		switch format := named(file); {
		case format == "":
		case first == "":
			first = file
		case format != named(first):
			return fmt.Errorf("kmers: %s is %s and %s is %s: give files of one format", first, named(first), file, format)
		}
	}
	return nil
}

// isFASTQ reports whether all files are FASTQ, by the name of the first one, or by its first byte if the name has no
// known extension. It is collective.
func (b *bench) isFASTQ() (bool, error) {
	if format := named(b.config.Files[0]); format != "" {
		return format == "FASTQ", nil
	}
	lines, err := ingest.Open(b.rank, b.config.Files, ingest.Lines(), ingest.Unchecked())
	if err != nil {
		return false, err
	}
	var own []byte
	for line := range lines.All() {
		if len(line) > 0 {
			own = append(own, line[0])
			break
		}
	}
	firsts, err := pebble.AllGatherSlice(b.rank, own)
	for _, first := range firsts {
		if len(first) > 0 {
			return first[0] == '@', err
		}
	}
	return false, err
}
