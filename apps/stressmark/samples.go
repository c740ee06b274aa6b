package stressmark

import (
	"encoding/hex"

	"github.com/activepebbles/pebbles/apps"
)

// samples is a sample set: bytes between two delimiters.
type samples struct{ Count, Minimum, Sum uint64 }

func (s *samples) add(b byte) { *s = s.with(samples{1, uint64(b), uint64(b)}) }

// with is two parts of a set together.
func (s samples) with(o samples) samples {
	switch {
	case s.Count == 0:
		return o
	case o.Count == 0:
		return s
	}
	return samples{s.Count + o.Count, min(s.Minimum, o.Minimum), s.Sum + o.Sum}
}

// samplesOf is a set of all of some bytes.
func samplesOf(all []byte) samples {
	if len(all) == 0 {
		return samples{}
	}
	least, sum := all[0], uint64(0)
	for _, b := range all {
		least = min(least, b)
		sum += uint64(b)
	}
	return samples{uint64(len(all)), uint64(least), sum}
}

// Token is what was found of a token. Its sample sets are what lies before the first delimiter, between two, and after
// the last.
type Token struct {
	Token    string `json:"token"`    // its bytes, in hexadecimal
	Sets     uint64 `json:"sets"`     // one more than it was found
	Samples  uint64 `json:"samples"`  // bytes in all sets
	Sum      uint64 `json:"sum"`      // of all samples
	Minima   uint64 `json:"minima"`   // the sum of the least sample of each set that has any
	Checksum uint64 `json:"checksum"` // of place, count, minimum and sum of each set, in any order
}

func newToken(text []byte) Token { return Token{Token: hex.EncodeToString(text)} }

// add adds a set that ends before a byte of the field.
func (t *Token) add(s samples, end uint64) {
	t.Sets++
	t.Samples += s.Count
	t.Sum += s.Sum
	t.Minima += s.Minimum
	t.Checksum += apps.Fold(apps.Fold(end, s.Count), apps.Fold(s.Minimum, s.Sum))
}

// found is a Token that is plain data.
type found struct{ Sets, Samples, Sum, Minima, Checksum uint64 }

func (t Token) found() found { return found{t.Sets, t.Samples, t.Sum, t.Minima, t.Checksum} }

func (f found) with(o found) found {
	return found{f.Sets + o.Sets, f.Samples + o.Samples, f.Sum + o.Sum, f.Minima + o.Minima, f.Checksum + o.Checksum}
}
