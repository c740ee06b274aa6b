package record

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Bounds of the HTML page.
const (
	barsHTML      = 400
	epochsHTML    = 12
	ranksHTML     = 8
	samplesHTML   = 3
	worstHTML     = 8
	processesHTML = 24
)

// view is what the page shows.
type view struct {
	Record    *Record
	After     string // when what happened happened
	About     []pair
	Did       []pair
	Charts    []chart
	End       string
	Bars      []bar
	Epochs    []pair
	Worst     []worstIn
	AtFault   []rankView
	Samples   []rankView
	Processes []pair
	More      int // processes beyond these
	Settings  []pair
}

// rankView is a rank and its last events.
type rankView struct {
	Title, Where, Status string
	Links, Stack, Events []string
	Dropped              uint64
}

// HTML writes a page that tells of the job, its end first. It is one file below 4 MiB, which loads nothing and runs no
// script.
func (k *Record) HTML(w io.Writer) error {
	v := view{
		Record:   k,
		After:    secondsText(k.after(k.Ending.At)),
		About:    k.about(),
		Did:      k.did(),
		Charts:   k.charts(),
		End:      secondsText(k.end()),
		Bars:     k.bars(barsHTML),
		Worst:    k.worstOnes(worstHTML),
		Settings: k.settings(),
	}
	for _, e := range slices.Backward(k.Epochs[max(0, len(k.Epochs)-epochsHTML):]) {
		v.Epochs = append(v.Epochs, pair{e.Title(), e.Says()})
	}
	atFault := k.atFault(ranksHTML)
	for _, r := range atFault {
		v.AtFault = append(v.AtFault, viewOf(r))
	}
	for i := range samplesHTML {
		if n := len(k.Ranks); n > 0 {
			r := k.Ranks[i*(n-1)/(samplesHTML-1)]
			if !slices.Contains(atFault, r) {
				atFault = append(atFault, r)
				v.Samples = append(v.Samples, viewOf(r))
			}
		}
	}
	v.Processes = k.processesSay()
	if n := len(v.Processes); n > processesHTML {
		v.Processes, v.More = v.Processes[:processesHTML], n-processesHTML
	}
	if err := pageTemplate.Execute(w, v); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

func viewOf(r *Rank) rankView {
	v := rankView{
		Title:   fmt.Sprintf("Rank %d of process %d", r.Rank.Rank, r.Process),
		Where:   r.where() + ", " + callText(r.Call),
		Status:  r.Status,
		Stack:   r.Stack,
		Dropped: r.Dropped,
	}
	for _, l := range r.Links {
		text := fmt.Sprintf("target %q to rank %d: %d frames in flight, %d wait for credit, none came back for %s",
			l.Target, l.To, l.Flight, l.Waiting, secondsText(l.AgeSeconds))
		v.Links = append(v.Links, text)
	}
	for _, e := range r.Events {
		v.Events = append(v.Events, eventText(e))
	}
	return v
}

// processesSay is how each process ended, those that did not end in order first.
func (k *Record) processesSay() []pair {
	exits := map[int]string{}
	for _, e := range k.Exits {
		exits[e.Process] = "; the launcher: " + e.How
	}
	var odd, even []pair
	for _, p := range k.Processes {
		name := strings.TrimPrefix(k.name(p.Process), "Process ")
		after := secondsText(k.after(p.Heard))
		switch {
		case p.Ended && p.How == "" && len(p.Failures) == 0:
			even = append(even, pair{name, "ended in order after " + after + exits[p.Process]})
		case p.Ended && p.How != "":
			odd = append(odd, pair{name, "ended after " + after + ": " + p.How + exits[p.Process]})
		case len(p.Failures) > 0:
			odd = append(odd, pair{name, "said, after " + after + ": " + p.Failures[0].Cause + exits[p.Process]})
		default:
			odd = append(odd, pair{name, "breaks off after " + after + exits[p.Process]})
		}
	}
	return append(odd, even...)
}
