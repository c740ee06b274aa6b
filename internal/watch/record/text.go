package record

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of the summary.
const (
	textLines   = 60
	textWidth   = 120
	factsMost   = 10
	epochsText  = 5
	worstText   = 3
	ranksText   = 2
	eventsText  = 5
	problemText = 5
	settingText = 4 // lines
)

// page is a text of a bounded number of lines of a bounded length.
type page struct {
	lines []string
}

// add adds a text, folded between words. Lines that go on are indented more.
func (p *page) add(indent, text string) {
	line := indent
	for _, word := range strings.Fields(text) {
		long := utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textWidth
		if long && strings.TrimSpace(line) != "" {
			p.lines = append(p.lines, line)
			line = indent + "  "
		}
		if strings.TrimSpace(line) != "" {
			line += " "
		}
		line += word
	}
	p.lines = append(p.lines, line)
}

func (p *page) title(text string) { p.lines = append(p.lines, "", text) }

func (p *page) pairs(all []pair) {
	for _, a := range all {
		p.add("  ", a.Name+": "+a.Says)
	}
}

// more says how many things a list had no room for.
func (p *page) more(all, most int) {
	if all > most {
		p.add("  ", fmt.Sprintf("and %d more: see the HTML report", all-most))
	}
}

// Text writes a summary for the terminal, of at most 60 lines, the end of the job first.
func (k *Record) Text(w io.Writer) error {
	var p page
	p.lines = append(p.lines, fmt.Sprintf("%s %s", k.Job.Program, k.Ending.Kind))
	p.add("", k.Ending.Cause)
	for _, fact := range k.Ending.Facts[:min(len(k.Ending.Facts), factsMost)] {
		p.add("  ", fact)
	}
	p.more(len(k.Ending.Facts), factsMost)
	p.problems(k.Problems)
	p.events(k)
	p.title("The job")
	p.pairs(append(k.about()[1:], k.did()...))
	p.title("Worst ranks")
	for _, in := range k.worstOnes(worstText) {
		var all []string
		for _, r := range in.Ranks {
			all = append(all, r.Name+": "+r.Says)
		}
		p.add("  ", in.What+": "+strings.Join(all, "; "))
	}
	p.epochs(k)
	p.settings(k)
	if len(p.lines) > textLines {
		p.lines = append(p.lines[:textLines-1], "More is in the HTML report.")
	}
	_, err := io.WriteString(w, strings.Join(p.lines, "\n")+"\n")
	return err
}

func (p *page) problems(all []string) {
	if len(all) == 0 {
		return
	}
	p.title("The record has gaps")
	for _, problem := range all[:min(len(all), problemText)] {
		p.add("  ", problem)
	}
	p.more(len(all), problemText)
}

func (p *page) events(k *Record) {
	if k.Ending.Kind == InOrder {
		return
	}
	for _, r := range k.atFault(ranksText) {
		p.title(fmt.Sprintf("Rank %d at the end: %s, %s", r.Rank.Rank, r.where(), callText(r.Call)))
		if r.Status != "" {
			p.add("  ", "status: "+r.Status)
		}
		for _, e := range r.Events[max(0, len(r.Events)-eventsText):] {
			p.lines = append(p.lines, "  "+eventText(e))
		}
	}
}

func (p *page) epochs(k *Record) {
	if len(k.Epochs) == 0 {
		return
	}
	p.title("Last epochs, in seconds since the start")
	for _, e := range k.Epochs[max(0, len(k.Epochs)-epochsText):] {
		p.add("  ", e.Title()+": "+e.Says())
	}
}

func (p *page) settings(k *Record) {
	var all []string
	for _, s := range k.settings() {
		all = append(all, s.Name+"="+s.Says)
	}
	if len(all) == 0 {
		return
	}
	p.title("Settings")
	var part page
	part.add("  ", strings.Join(all, " "))
	p.lines = append(p.lines, part.lines[:min(len(part.lines), settingText)]...)
	p.more(len(part.lines), settingText)
}
