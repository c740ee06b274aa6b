package values

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzValues reads arbitrary flag values: accepted ones are within bounds.
func FuzzValues(f *testing.F) {
	for _, text := range []string{"0", "-1", "64KiB", "1.5G", "1e30T", "nan", "inf", "auto", "10ms", "never", " 7 kb",
		"16384TiB", "1PiB", "1024PiB", "1023.9999K", "9223372036854775808"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := Count(text, 1); err == nil {
			require.Positive(t, n)
		}
		if n, err := Bytes(text); err == nil {
			require.Positive(t, n)
			require.LessOrEqual(t, n, int64(1<<60))
			back, err := Bytes(BytesText(n))
			require.NoError(t, err, BytesText(n))
			require.InEpsilon(t, n, back, 1e-3)
		}
		_, _ = Wait(text)
	})
}
