//go:build long

package command

import (
	"strings"
	"time"
)

func init() {
	kills, killedWithin = 20, 2*time.Second
	formats = strings.Fields(".csv .csv.gz .csv.zst .tsv .tsv.gz .tsv.zst .jsonl .jsonl.gz .jsonl.zst .avro .parquet")
}
