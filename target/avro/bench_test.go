package avro_test

import (
	"hash/crc32"
	"testing"

	"github.com/activepebbles/pebbles/target/avro"
)

var visit = Visit{URL: "https://go.dev", Links: []string{"/doc", "/blog"}, Depth: 1}

func BenchmarkAppend(b *testing.B) {
	c := avro.Must[Visit]()
	var out []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if out, err = c.Append(out[:0], visit); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(out)))
	b.Logf("checksum %08x", crc32.ChecksumIEEE(out))
}

func BenchmarkDecode(b *testing.B) {
	c := avro.Must[Visit]()
	src, err := c.Append(nil, visit)
	if err != nil {
		b.Fatal(err)
	}
	links := 0
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := c.Decode(src)
		if err != nil {
			b.Fatal(err)
		}
		links += len(v.Links)
	}
	if links != b.N*len(visit.Links) {
		b.Fatalf("%d links came back in %d visits", links, b.N)
	}
	b.Logf("checksum %d links a visit", links/b.N)
}
