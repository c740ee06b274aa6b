package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// escapedMost bounds a text of a job, in runes.
const escapedMost = 1000

// escaped returns a text of a job as one line. Runes that a terminal might obey or misrepresent are written in Go's
// escapes: \x1b, \n, \u202e.
func escaped(text string) string {
	var b strings.Builder
	for letters := 0; text != ""; letters++ {
		if letters == escapedMost {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case !strconv.IsPrint(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

// escapedJSON escapes the same runes in JSON, where they only occur within strings.
func escapedJSON(text []byte) []byte {
	var b []byte
	for _, r := range string(text) {
		switch {
		case strconv.IsPrint(r):
			b = utf8.AppendRune(b, r)
		case r > 0xffff:
			high, low := (r-0x10000)>>10+0xd800, (r-0x10000)&0x3ff+0xdc00
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return b
}

// cut shortens a text to a width; 0 means no limit.
func cut(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// wrap breaks a text into lines between words, and within words longer than a line. A width of 0 means no limit.
func wrap(text string, width, most int) (lines []string) {
	if width <= 0 {
		return []string{text}
	}
	for text != "" && len(lines) < most-1 {
		line := []rune(text)
		if len(line) > width {
			line = line[:width+1]
			if at := strings.LastIndexByte(string(line), ' '); at > 0 {
				line = []rune(string(line)[:at])
			} else {
				line = line[:width]
			}
		}
		lines = append(lines, string(line))
		text = strings.TrimLeft(text[len(string(line)):], " ")
	}
	if text != "" {
		lines = append(lines, cut(text, width))
	}
	return lines
}

// spanText formats a time in whole seconds.
func spanText(seconds float64) string {
	const most = 1000 * 24 * 60 * 60
	seconds = math.Min(math.Max(0, seconds), most)
	return time.Duration(seconds * float64(time.Second)).Truncate(time.Second).String()
}

// partText formats a part of a whole in whole percents; "-" without a whole.
func partText(part float64) string {
	if math.IsNaN(part) {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*part)
}

// rateText formats a number per second; "-" if it is not known yet.
func rateText(rate float64) string {
	if math.IsNaN(rate) {
		return "-"
	}
	return short(rate)
}

// bytesRateText is rateText for bytes.
func bytesRateText(rate float64) string {
	if math.IsNaN(rate) {
		return "-"
	}
	return BytesText(int64(rate))
}
