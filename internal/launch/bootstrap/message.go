package bootstrap

import (
	"fmt"
	"strings"
)

// member is a process with its number.
type member struct {
	Number int
	Process
}

// report is what a child tells its parent: who it is, if its card is to say so, which the parent answers by who it is itself; then its
// subtree when that is complete, or that the start has failed.
type report struct {
	Number  int      `json:",omitempty"`
	Subtree []member `json:",omitempty"`
	Failed  string   `json:",omitempty"`
}

// verdict is what a parent tells its children: the job, or that the start has failed.
type verdict struct {
	ID        string `json:",omitempty"`
	Secret    []byte `json:",omitempty"`
	Ranks     int    `json:",omitempty"`
	Addresses string `json:",omitempty"` // one text, which costs a tenth of a list of texts
	Failed    string `json:",omitempty"`
}

const separator = " " // of addresses

func (j *Job) verdict() verdict {
	return verdict{ID: j.ID, Secret: j.Secret, Ranks: j.Ranks, Addresses: strings.Join(j.Addresses, separator)}
}

func (v verdict) job() *Job {
	return &Job{ID: v.ID, Secret: v.Secret, Ranks: v.Ranks, Addresses: strings.Split(v.Addresses, separator)}
}

const failedBytesMax = 1 << 10

// messageBytesMax bounds a message that tells of so many processes.
func messageBytesMax(processes int) int { return 64<<10 + processes*(3*textBytesMax+128) }

// failure is the reason of a failure for others, cut to its bound. Each that passes it on says by itself that it was elsewhere.
func failure(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrElsewhere.Error()+": ")
	return text[:min(len(text), failedBytesMax)]
}

// checkSubtree returns an error unless the members are the process and all below it, each once.
func (t tree) checkSubtree(process int, members []member) error {
	seen := make(map[int]bool, len(members))
	for _, m := range members {
		switch err := m.check(); {
		case err != nil:
			return fmt.Errorf("process %d: %w", m.Number, err)
		case !t.below(m.Number, process):
			return fmt.Errorf("process %d is not below process %d", m.Number, process)
		case seen[m.Number]:
			return fmt.Errorf("two processes have number %d", m.Number)
		}
		seen[m.Number] = true
	}
	if want := t.size(process); len(members) != want {
		return fmt.Errorf("it tells of %d processes, not of %d", len(members), want)
	}
	return nil
}

// below reports whether a process is another one or below it.
func (t tree) below(process, above int) bool {
	if process < 0 || process >= t.processes {
		return false
	}
	for process > above {
		process = t.parent(process)
	}
	return process == above
}

// size is how many processes a subtree has.
func (t tree) size(process int) (n int) {
	for first, last := process, process+1; first < last; {
		n += last - first
		next, _ := t.children(first)
		_, end := t.children(last - 1)
		first, last = next, end
	}
	return n
}
