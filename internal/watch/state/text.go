package state

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// Write writes a report as text: the verdict first, then the ranks apart from the others.
func (r *Report) Write(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%s%s, %d ranks, at %s\n", r.Verdict, r.Program, job(r.ID), r.Ranks, r.Taken)
	for i := range r.Culprits {
		r.Culprits[i].write(&b)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "\nand %d more ranks that are not with the others\n", r.More)
	}
	for _, p := range r.Processes {
		fmt.Fprintf(&b, "\n%s\n", p.goes(nil))
	}
	if len(r.Groups) > 0 {
		b.WriteString("\nwhere the ranks are:\n")
	}
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "  %6d  %s%s%s\n", g.Count, g.Place, mark(g.Moves, ", making progress"), list(" [", g.Ranks, "]"))
	}
	if len(r.Links) > 0 {
		b.WriteString("\nlinks that hold most:\n")
	}
	for _, l := range r.Links {
		fmt.Fprintf(&b, "  %s\n", l)
	}
	if len(r.Stacks) > 0 {
		b.WriteString("\ncalls, the outermost first:\n")
	}
	for _, s := range r.Stacks {
		fmt.Fprintf(&b, "  %s%s%s [%s]\n", strings.Repeat("  ", min(s.Depth, 20)), s.Call,
			mark(s.Moves, ", making progress"), s.Ranks)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// job names a job that has an id.
func job(id string) string { return list(" ", id, "") }

func mark(is bool, text string) string {
	if is {
		return text
	}
	return ""
}

// list returns a text between two others, or "" if the text is empty.
func list(before, text, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}

// String describes a link in words.
func (h Held) String() string {
	return fmt.Sprintf("%d to %d of %q: %d bytes in the buffer, %d frames in flight, %d wait for credit%s", h.From, h.To,
		h.Target, h.Filling, h.Flight, h.Waiting, mark(h.AgeSeconds > 0, ", none came back for "+Lasting(h.AgeSeconds)))
}

// write writes the state of one rank.
func (r *Rank) write(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n%s\n", r)
	for _, text := range r.Details() {
		fmt.Fprintf(b, "  %s\n", text)
	}
}

// String describes the place of a rank, and the time without progress.
func (r *Rank) String() string {
	return fmt.Sprintf("rank %d %s, for %s", r.Rank, r.Place(), Lasting(r.StillSeconds))
}

// Details returns the status, the tasks, the stack and the events of a rank, one line each.
func (r *Rank) Details() (all []string) {
	if r.Status != "" {
		all = append(all, "it said: "+r.Status)
	}
	for _, t := range r.Tasks {
		all = append(all, fmt.Sprintf("%d %s in %s", t.Count, verb(t.Count, "task waits", "tasks wait"), t.Call))
	}
	all = append(all, r.Stack...)
	for _, e := range r.Events {
		all = append(all, fmt.Sprintf("%12.6f s  %s", e.At, e))
	}
	return all
}

// String describes an event in words.
func (e Event) String() string {
	text := Call{Kind: e.Kind, Name: e.Name, Team: e.Team}.String()
	if e.Kind == "wait" {
		text = "waited for " + e.Name
	}
	text += at(e.Site)
	switch {
	case e.End == 0:
		text += ", not ended"
	case e.End-e.At >= 1e-6:
		text += ", " + Lasting(e.End-e.At)
	}
	return text
}
