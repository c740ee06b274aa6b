package kmers

import (
	"math/rand/v2"
	"strings"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
)

const batch = 1024 // k-mers counted together

// code has the two bits of each base, and 4 for all other bytes.
var code = func() (codes [256]uint8) {
	for i := range codes {
		codes[i] = 4
	}
	for i, base := range "ACGT" {
		codes[base], codes[base+'a'-'A'] = uint8(i), uint8(i)
	}
	return codes
}()

// scanner finds the canonical k-mers of reads, and passes them to take in batches.
type scanner struct {
	k     int
	take  func(ks []uint64)
	kmers [batch]uint64
	n     int
}

func (s *scanner) scan(read []byte) {
	mask, high := ^uint64(0)>>(64-2*s.k), 2*(s.k-1)
	var forward, reverse uint64
	length := 0 // bases since the last other letter
	for _, base := range read {
		b := uint64(code[base])
		if b > 3 {
			length = 0
			continue
		}
		forward = (forward<<2 | b) & mask
		reverse = reverse>>2 | (3-b)<<high
		if length++; length < s.k {
			continue
		}
		s.kmers[s.n] = min(forward, reverse)
		if s.n++; s.n == batch {
			s.flush()
		}
	}
}

// flush passes on the remaining k-mers.
func (s *scanner) flush() {
	s.take(s.kmers[:s.n])
	s.n = 0
}

var complement = strings.NewReplacer("A", "T", "C", "G", "G", "C", "T", "A")

// canonicalText is the plain twin of scan: it returns the alphabetically first of a k-mer and its reverse complement.
func canonicalText(kmer string) string {
	other := []byte(complement.Replace(kmer))
	for i, j := 0, len(other)-1; i < j; i, j = i+1, j-1 {
		other[i], other[j] = other[j], other[i]
	}
	return min(kmer, string(other))
}

// Reads returns the generated reads of a rank, and the number of the first one. Reads are pieces of a genome from
// random places, half of them of its other strand. All ranks together have the same reads, for any number of ranks. The
// caller owns the result.
func Reads(c Config, rank, ranks int) (all [][]byte, first int) {
	const bases = "ACGT"
	c = c.withDefaults()
	source := rand.NewPCG(c.Seed, 0)
	genome, random := make([]byte, c.Bases), rand.New(source)
	for i := range genome {
		genome[i] = bases[random.IntN(4)]
	}
	share := distribution.Block(uint64(c.Bases*c.Coverage/readBases), ranks)
	n := share.LocalLen(rank)
	first = int(share.Key(rank, 0))
	room := make([]byte, n*readBases)
	for number := first; number < first+n; number++ {
		source.Seed(c.Seed, apps.Mix(uint64(number)))
		at := random.IntN(c.Bases - readBases + 1)
		read := room[:readBases:readBases]
		room = room[readBases:]
		copy(read, genome[at:])
		if random.IntN(2) == 0 {
			for i := range read {
				read[i] = bases[3-code[genome[at+readBases-1-i]]]
			}
		}
		if c.Errors > 0 {
			for i := range read {
				if random.Float64() < c.Errors {
					read[i] = bases[random.IntN(4)]
				}
			}
		}
		all = append(all, read)
	}
	return all, first
}
