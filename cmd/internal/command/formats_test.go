package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// formats are extensions of tables: each format and compression. With the build tag long they are all.
var formats = strings.Fields(".csv .csv.gz .tsv.zst .jsonl .avro .parquet")

// written are applications with output. The values of each are the same in each bit on any number of ranks.
var written = []string{
	"bfs --kronecker 8 --root 1", "sssp --kronecker 8 --root 1", "components --kronecker 8", "communities --kronecker 8",
	"triangles --kronecker 7", "jaccard --kronecker 7", "kcore --kronecker 8", "words command.go",
	"kmers testdata/reads.fa --k 5", "sort command.go", "sort testdata/trips.csv --column fare --numeric --unique",
	"join testdata/trips.csv testdata/trips.csv --on city --kind full",
	"group testdata/trips.csv --by city --sum fare --count",
	"contagion --people 300 --days 4", "nbody --particles 300 --steps 1 --sample 10",
}

// toFile adds the flag to a command line that writes the rows of its result to a file.
func toFile(line, path string) []string {
	flag := "--output"
	if strings.HasPrefix(line, "contagion") {
		flag = "--infections"
	}
	return append(strings.Fields(line), "--quiet", flag, path)
}

// A file has the same bytes on 1, 2, 4 and 7 ranks, in every format, of each application. One of the last three numbers
// has its turn in each format, another one for the next application.
func TestFormatsOfAllRanks(t *testing.T) {
	for i, line := range written {
		t.Run(line, func(t *testing.T) {
			folder := t.TempDir()
			for j, format := range formats {
				write := func(ranks int) string {
					path := filepath.Join(folder, fmt.Sprint(ranks)+format)
					succeeds(t, append(toFile(line, path), "--ranks", fmt.Sprint(ranks))...)
					text, err := os.ReadFile(path)
					require.NoError(t, err)
					return string(text)
				}
				ranks := []int{2, 4, 7}[(i+j)%3]
				require.True(t, write(1) == write(ranks), "%s on %d ranks", format, ranks)
			}
		})
	}
}
