package plots

import (
	"encoding/xml"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Lengths are in units of 1/800 of a page's width.
const (
	pageWidth = 800
	margin    = 20
	titleSize = 19 // of letters
	textSize  = 14
	leading   = 1.35 // line height over the size of letters
	letter    = 0.65 // mean width of a letter over its size, in wide fonts
	gap       = 10
)

// page is a picture that grows downwards.
type page struct {
	y    float64 // start of the next part
	body strings.Builder
}

// span returns the largest width of a text.
func span(text string, size float64) float64 {
	return letter * size * float64(utf8.RuneCountInString(text))
}

// Anchors of a text.
const (
	start  = "start"
	middle = "middle"
	end    = "end"
)

// text writes a line; x is the position of its anchor, and y its base.
func (p *page) text(x, y, size float64, anchor, text string) {
	fmt.Fprintf(&p.body, `<text x="%.1f" y="%.1f" font-size="%.0f" text-anchor="%s">%s</text>`+"\n", x, y, size, anchor,
		escaped(text))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a write to a Builder does not fail
	return b.String()
}

// line draws a line.
func (p *page) line(x1, y1, x2, y2 float64, color string, width float64) {
	fmt.Fprintf(&p.body, `<path d="M%.1f,%.1fL%.1f,%.1f" stroke="%s" stroke-width="%.1f"/>`+"\n", x1, y1, x2, y2, color,
		width)
}

// box fills a rectangle.
func (p *page) box(x, y, width, height float64, color string) {
	fmt.Fprintf(&p.body, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"/>`+"\n", x, y, width, height,
		color)
}

// paragraph writes a text over the whole width.
func (p *page) paragraph(text string, size float64) {
	for _, line := range wrapped(text, size, pageWidth-2*margin) {
		p.text(margin, p.y+size, size, start, line)
		p.y += leading * size
	}
	p.y += gap
}

// wrapped splits a text into lines that fit.
func wrapped(text string, size, width float64) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && span(lines[last]+" "+word, size) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// svg returns the file. It has an aspect ratio and no size, so it fits any viewer.
func (p *page) svg(title string) []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" role="img" font-family="sans-serif" fill="#222">
<title>%s</title>
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, pageWidth, p.y+gap, escaped(title), p.body.String())
}
