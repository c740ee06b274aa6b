package state

import (
	"fmt"
	"strings"
)

const (
	silentSeconds = 3 // a process that has been silent for longer is named
	stillSeconds  = 3 // a job without progress for longer stands still
)

// Conclude describes the condition of the job in one sentence, and returns the ranks apart from the others, which the
// others wait for. It considers certain evidence first: processes that have ended or are silent, then ranks that run
// code of the program while others wait, then ranks that have made fewer calls than others, like a flight recorder.
// Finally, if all wait in the same call, it considers the reason of each wait.
func (j *Job) Conclude() (verdict string, culprits []Rank) {
	if p := j.gone(); p != nil {
		return p.goes(j.waiting()), nil
	}
	if j.StillSeconds < stillSeconds && !j.Stalled {
		return j.moves(), nil
	}
	waiting, running := j.split()
	switch {
	case len(waiting) == 0:
		if handling, _ := parted(running, func(r *Rank) bool { return r.Doing == Handling }); len(handling) > 0 {
			return crowd(handling), handling
		}
		return j.moves(), nil
	case len(running) > 0:
		return fmt.Sprintf("%s; %s", crowd(waiting), crowd(running)), running
	}
	behind, ahead := align(waiting)
	if len(behind) > 0 {
		return fmt.Sprintf("%s; %s", crowd(ahead), crowd(behind)), behind
	}
	special, rest := parted(waiting, func(r *Rank) bool { return !r.waitsForAll() })
	if len(special) > 0 && len(rest) > 0 {
		return fmt.Sprintf("%s; %s", crowd(rest), crowd(special)), special
	}
	if len(special) > 0 {
		return crowd(waiting) + ": what they wait for does not come", special
	}
	if crossed(waiting) {
		return crowd(waiting) + ": ranks call the teams that they share in one order", waiting
	}
	return crowd(waiting) + j.unfinished(waiting), nil
}

// crossed reports whether ranks wait in calls of different teams, where no rank runs that might come.
func crossed(waiting []Rank) bool {
	for i := range waiting {
		if waiting[i].Call.Team != waiting[0].Call.Team {
			return true
		}
	}
	return false
}

// gone returns the first process that has ended badly, or is silent.
func (j *Job) gone() *Process {
	for i := range j.Processes {
		if p := &j.Processes[i]; p.Ended != "" {
			return p
		}
	}
	for i := range j.Processes {
		if p := &j.Processes[i]; p.Stopped || p.SilentSeconds > silentSeconds {
			return p
		}
	}
	return nil
}

// String names a process.
func (p *Process) String() string {
	text := fmt.Sprintf("process %d", p.Process)
	if p.PID != 0 {
		text += fmt.Sprintf(" (pid %d on %s)", p.PID, p.Host)
	}
	return text
}

func (p *Process) goes(waiting []Rank) string {
	text := p.String()
	switch {
	case p.Ended != "":
		text += " has ended: " + p.Ended
	case p.Stopped:
		text += fmt.Sprintf(" is stopped by a signal, and has told nothing for %s", Lasting(p.SilentSeconds))
	default:
		text += fmt.Sprintf(" has told nothing for %s", Lasting(p.SilentSeconds))
	}
	if p.Last > p.First && p.Ended == "" {
		text += fmt.Sprintf("; its ranks are %s", Spans(numbers(p.First, p.Last)))
	}
	if len(waiting) > 0 {
		text += "; " + crowd(waiting)
	}
	return text
}

func numbers(first, last int) (all []int) {
	for n := first; n < last; n++ {
		all = append(all, n)
	}
	return all
}

// each calls f with all ranks with a published state.
func (j *Job) each(f func(r *Rank)) {
	for i := range j.Processes {
		for k := range j.Processes[i].Ranks {
			f(&j.Processes[i].Ranks[k])
		}
	}
}

// WaitForAll returns the number of ranks that wait for all others: for the end of an epoch, or in a collective.
func (j *Job) WaitForAll() (n int) {
	j.each(func(r *Rank) {
		if r.waitsForAll() {
			n++
		}
	})
	return n
}

func (j *Job) waiting() []Rank {
	waiting, _ := j.split()
	return waiting
}

// split separates waiting and running ranks. An ended rank is neither, unless others wait in a call that it lacks.
func (j *Job) split() (waiting, running []Rank) {
	j.each(func(r *Rank) {
		switch r.Doing {
		case Waiting:
			waiting = append(waiting, *r)
		case Ended, Starting:
		default:
			running = append(running, *r)
		}
	})
	return waiting, running
}

func parted(all []Rank, is func(r *Rank) bool) (those, others []Rank) {
	for i := range all {
		if is(&all[i]) {
			those = append(those, all[i])
		} else {
			others = append(others, all[i])
		}
	}
	return those, others
}

// align separates the ranks that have made fewer calls than others. If all have made the same number, it separates
// those whose call differs from that of the majority.
func align(all []Rank) (behind, others []Rank) {
	if crossed(all) {
		return nil, all
	}
	most := all[0].Call.Number
	for i := range all {
		most = max(most, all[i].Call.Number)
	}
	behind, others = parted(all, func(r *Rank) bool { return r.Call.Number < most })
	if len(behind) > 0 {
		return behind, others
	}
	counts := map[string]int{}
	usual := ""
	for i := range all {
		call := all[i].Call.Kind + all[i].Call.Name
		if counts[call]++; counts[call] > counts[usual] || usual == "" {
			usual = call
		}
	}
	return parted(all, func(r *Rank) bool { return r.Call.Kind+r.Call.Name != usual })
}

// crowd describes the places of ranks: the largest groups, and the number of the others.
func crowd(all []Rank) string {
	groups := group(all)
	var texts []string
	for i, g := range groups {
		if i == 2 {
			rest := 0
			for _, g := range groups[i:] {
				rest += len(g)
			}
			texts = append(texts, fmt.Sprintf("%d more %s elsewhere", rest, verb(rest, "is", "are")))
			break
		}
		texts = append(texts, together(g))
	}
	return strings.Join(texts, ", ")
}

// together describes the place of the ranks of one group, and their time there.
func together(g []Rank) string {
	place := g[0].Place()
	if len(g) > 1 {
		place = plural(place)
	}
	still := g[0].StillSeconds
	for _, r := range g {
		still = min(still, r.StillSeconds)
	}
	if still >= stillSeconds {
		place += ", for " + Lasting(still)
	}
	return ranks(g) + " " + place
}

// plural converts the verb at the start of a place to the plural.
func plural(place string) string {
	first, rest, _ := strings.Cut(place, " ")
	many := map[string]string{"has": "have", "runs": "run", "waits": "wait", "works": "work"}[first]
	return many + " " + rest
}

// group groups ranks by place, the largest group first.
func group(all []Rank) (groups [][]Rank) {
	at := map[string]int{}
	for i := range all {
		place := all[i].Place()
		n, ok := at[place]
		if !ok {
			n = len(groups)
			at[place] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], all[i])
	}
	largestFirst(groups)
	return groups
}

// moves describes the condition of a job that moves.
func (j *Job) moves() string {
	var all []Rank
	j.each(func(r *Rank) { all = append(all, *r) })
	if len(all) == 0 {
		return "the job starts"
	}
	_, alive := parted(all, func(r *Rank) bool { return r.Doing == Ended })
	if len(alive) == 0 {
		return "all ranks have returned from their functions"
	}
	calls := map[string][]Rank{}
	usual := ""
	for _, r := range alive {
		text := r.Call.String()
		calls[text] = append(calls[text], r)
		if len(calls[text]) > len(calls[usual]) {
			usual = text
		}
	}
	switch in := calls[usual]; {
	case usual == "":
		return "the job makes progress: no epoch has begun yet"
	case in[0].Call.Open:
		return fmt.Sprintf("the job makes progress: %s %s in %s", ranks(in), verb(len(in), "is", "are"), usual)
	default:
		return fmt.Sprintf("the job makes progress: %s %s past %s", ranks(in), verb(len(in), "is", "are"), usual)
	}
}

// unfinished describes the missing work of an epoch that all wait for.
func (j *Job) unfinished(waiting []Rank) string {
	tasks, call := 0, ""
	var oldest *Link
	from := 0
	for i := range waiting {
		for _, t := range waiting[i].Tasks {
			tasks += t.Count
			call = t.Call
		}
		for k := range waiting[i].Links {
			l := &waiting[i].Links[k]
			if l.Flight+l.Waiting > 0 && (oldest == nil || l.AgeSeconds > oldest.AgeSeconds) {
				oldest, from = l, waiting[i].Rank
			}
		}
	}
	switch {
	case tasks > 0:
		return fmt.Sprintf("; %d %s in %s", tasks, verb(tasks, "task waits", "tasks wait"), call)
	case oldest != nil:
		n := int(oldest.Flight + oldest.Waiting)
		return fmt.Sprintf("; %s of %q from rank %d to rank %d %s not been handled for %s", counted(n, "frame"),
			oldest.Target, from, oldest.To, verb(n, "has", "have"), Lasting(oldest.AgeSeconds))
	}
	return ""
}
