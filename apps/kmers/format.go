package kmers

import (
	"path/filepath"
	"strings"

	"github.com/activepebbles/pebbles/ingest"
	"github.com/activepebbles/pebbles/pebble"
)

// isFASTQ reports the format of all files, by the name of the first one, or by its first byte if the name has no known
// extension. It is
// collective.
func (b *bench) isFASTQ() (bool, error) {
	name := strings.ToLower(b.config.Files[0])
	for _, packed := range []string{".gz", ".bgz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch filepath.Ext(name) {
	case ".fastq", ".fq":
		return true, nil
	case ".fasta", ".fa", ".fna", ".ffn":
		return false, nil
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
