package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// escapedMost bounds a text of a job's, in letters.
const escapedMost = 1000

// escaped is a text of a job's as one line. What a terminal might obey, or would show as something else, is written as
// Go writes it: \x1b, \n, \u202e.
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

// escapedJSON is JSON in which letters that escaped would write otherwise are escaped: they can only be in its strings.
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

// cut shortens a text to a width. A width of 0 is none.
func cut(text string, width int) string {
	if width <= 0 || utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + "…"
}

// wrap breaks a text into lines between its words, and words that are longer than a line. A width of 0 is none.
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

// spanText is a time in whole seconds.
func spanText(seconds float64) string {
	const most = 1000 * 24 * 60 * 60
	seconds = math.Min(math.Max(0, seconds), most)
	return time.Duration(seconds * float64(time.Second)).Truncate(time.Second).String()
}

// partText is a part of a whole in whole percents; "-" where there is no whole.
func partText(part float64) string {
	if math.IsNaN(part) {
		return "-"
	}
	return fmt.Sprintf("%.0f%%", 100*part)
}

// rateText is a number a second; "-" where it is not known yet.
func rateText(rate float64) string {
	if math.IsNaN(rate) {
		return "-"
	}
	return short(rate)
}

// bytesRateText is the same in bytes.
func bytesRateText(rate float64) string {
	if math.IsNaN(rate) {
		return "-"
	}
	return BytesText(int64(rate))
}
