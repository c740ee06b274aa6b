package record

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of the summary for terminals.
const (
	textLines = 60
	textWidth = 120
	foldsMost = 10 // lines for one line of a section
)

var textBounds = bounds{facts: 10, problems: 5, ranks: 2, events: 5, worst: 3, epochs: 5}

// Text writes a summary for the terminal, of at most 60 lines, the end of the job first.
func (k *Record) Text(w io.Writer) error {
	n := textBounds
	if k.Ending.Kind == InOrder {
		n.ranks = 0
	}
	var lines []string
	for i, s := range k.sections(n) {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, folded("", s.Title)...)
		for j, text := range s.Lines {
			indent := "  "
			if i+j == 0 {
				indent = "" // the cause
			}
			lines = append(lines, folded(indent, text)...)
		}
	}
	if len(lines) > textLines {
		lines = append(lines[:textLines-1], "The HTML report has more.")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// folded breaks a text between words. Lines after the first have a deeper indent.
func folded(indent, text string) (lines []string) {
	if utf8.RuneCountInString(indent+text) <= textWidth {
		return []string{indent + text}
	}
	line := indent
	for _, word := range strings.Fields(text) {
		if full := utf8.RuneCountInString(line+" "+word) > textWidth; full && strings.TrimSpace(line) != "" {
			lines = append(lines, line)
			line = indent + "  "
		}
		if strings.TrimSpace(line) != "" {
			line += " "
		}
		line += word
	}
	lines = append(lines, line)
	return lines[:min(len(lines), foldsMost)]
}
