package ingest

import "encoding/binary"

// Eight bytes are examined together, as the bytes of one word.
const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// printing reports whether all bytes are printing ASCII characters other than the blank.
func printing(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		x := binary.LittleEndian.Uint64(text)
		low := x &^ highs
		if (low+(0x80-'!')*ones)&^(low+ones)&^x&highs != highs { // from ! on, not 0x7f, and below 0x80
			return false
		}
	}
	for _, b := range text {
		if b-'!' > '~'-'!' {
			return false
		}
	}
	return true
}

// controls reports whether a byte is an ASCII control character other than a tab.
func controls(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		x := binary.LittleEndian.Uint64(text)
		low := x &^ highs
		noTab := (low ^ '\t'*ones) + 0x7f*ones
		if (^(low+(0x80-' ')*ones)|(low+ones))&^x&noTab&highs != 0 { // below the blank or 0x7f, below 0x80, and no tab
			return true
		}
	}
	for _, b := range text {
		if b < ' ' && b != '\t' || b == 0x7f {
			return true
		}
	}
	return false
}
