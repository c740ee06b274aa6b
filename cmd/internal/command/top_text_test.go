package command

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestEscaped(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "level 7": "level 7", "Grüße 世界": "Grüße 世界",
		"\x1b[2J": `\x1b[2J`, "a\nb\r\t": `a\nb\r\t`, "\x00\x7f": `\x00\x7f`, "\x9b1m": `\x9b1m`, "\u009b1m": `\u009b1m`,
		"\u202eexe": `\u202eexe`, "\u200b": `\u200b`, "\xff": `\xff`, "\ufffd": "\ufffd", "\U000e0001": `\U000e0001`,
		strings.Repeat("x", 2000): strings.Repeat("x", escapedMost) + "…",
	} {
		require.Equal(t, want, escaped(text), "%q", text)
	}
}

// obeyed reports whether a terminal might obey a part of a text.
func obeyed(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2066' || r == utf8.RuneError
	})
}

func TestEscapedIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "text"))
		require.False(t, obeyed(strings.ReplaceAll(escaped(text), "\ufffd", "")))
	})
}

// TestEscapedJSON compares the results of encoding/json before and after.
func TestEscapedJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(map[string]string{rapid.String().Draw(t, "name"): rapid.String().Draw(t, "value")})
		require.NoError(t, err)
		var before, after map[string]string
		require.NoError(t, json.Unmarshal(text, &before))
		harmless := escapedJSON(text)
		require.NoError(t, json.Unmarshal(harmless, &after))
		require.Equal(t, before, after)
		require.False(t, obeyed(strings.ReplaceAll(string(harmless), "\ufffd", "")))
	})
	require.Equal(t, `"\u009b\udb40\udc01é\u001b"`, string(escapedJSON([]byte("\"\u009b\U000e0001é\\u001b\""))))
}

func TestWrap(t *testing.T) {
	require.Equal(t, []string{"one two", "three"}, wrap("one two three", 8, 9))
	require.Equal(t, []string{"one two", "three"}, wrap("one two three", 7, 9))
	require.Equal(t, []string{"abcd", "efgh", "i"}, wrap("abcdefghi", 4, 9))
	require.Equal(t, []string{"one", "two t…"}, wrap("one two three", 6, 2)[:2])
	require.Equal(t, []string{"one two"}, wrap("one two", 0, 1))
	require.Empty(t, wrap("", 9, 9))
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zü ]{0,60}`).Draw(t, "text")
		width := rapid.IntRange(1, 30).Draw(t, "width")
		for _, line := range wrap(text, width, rapid.IntRange(1, 9).Draw(t, "most")) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), width)
		}
		whole := strings.Join(wrap(text, width, 1000), "")
		require.Equal(t, strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(whole, " ", ""))
	})
}

func TestTimesAndParts(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0s", -1: "0s", 0.9: "0s", 61.5: "1m1s", 1e300: "24000h0m0s",
		math.Inf(1): "24000h0m0s"} {
		require.Equal(t, want, spanText(seconds))
	}
	require.Equal(t, "50%", partText(0.5))
	require.Equal(t, "-", partText(math.NaN()))
	require.Equal(t, "-", rateText(math.NaN()))
	require.Equal(t, "9.9s", ageText(9.9))
	require.Equal(t, "1m0s", ageText(60))
}
