package ingest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each byte is classified at each place of a word and behind words, among bytes of both classes.
func TestCharacters(t *testing.T) {
	for b := range 256 {
		prints, control := b > ' ' && b < 0x7f, b < ' ' && b != '\t' || b == 0x7f
		for size := range 20 {
			for at := range size {
				text := bytes.Repeat([]byte{'!', '~', 'A'}, 7)[:size]
				text[at] = byte(b)
				require.Equal(t, prints, printing(text), "%q", text)
				text = bytes.Repeat([]byte{' ', '\t', 0x80, 0xff, '~'}, 4)[:size]
				text[at] = byte(b)
				require.Equal(t, control, controls(text), "%q", text)
			}
		}
	}
}
