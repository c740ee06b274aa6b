package record

import (
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of texts, in bytes of JSON.
const (
	nameMax    = 40
	waitMax    = 80
	statusMax  = 120
	verdictMax = 240
	causeMax   = 2000
	valueMax   = 200
)

// words makes one line of a text, of at most limit bytes of JSON: terminals and editors show it as it is.
func words(text string, limit int) string {
	var b strings.Builder
	size, cut := 0, 0
	for _, c := range text {
		if unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			c = ' ' // Cf has what turns the direction of a text around
		}
		size += utf8.RuneLen(c)
		if c == '"' || c == '\\' {
			size++
		}
		if size > limit {
			return b.String()[:cut] + "…"
		}
		b.WriteRune(c)
		if size <= limit-len("…") {
			cut = b.Len()
		}
	}
	return b.String()
}

// rounded keeps millionths, and makes 0 of what JSON can't hold.
func rounded(x float64) float64 {
	if math.IsNaN(x) || math.Abs(x) > 1e15 {
		return 0
	}
	return math.Round(x*1e6) / 1e6
}

// stamp is a time as lines have it.
func stamp(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{} // JSON has no others
	}
	return t.Truncate(time.Millisecond)
}
