package launch

import (
	"fmt"
	"strings"
)

// sshFailed is the exit status of ssh for its own errors.
const sshFailed = 255

// trouble is a reason why ssh does not reach a host.
type trouble struct {
	says   string // text in the output of ssh
	passes bool   // it may be gone at the next try
	advice string // the remedy; HOST stands for the host
}

const (
	adviceClosed = "its sshd turns connections away: raise MaxStartups there, or look into its log"
	adviceSilent = "is the host up, and does a firewall let ssh through?"
	adviceShell  = "does a shell there wait for something, such as a lock in .bashrc?"
)

// troubles begins with the certain ones, since their output may report a closed connection too.
var troubles = []trouble{
	{"REMOTE HOST IDENTIFICATION HAS CHANGED", false, "its key has changed: find out why, then run `ssh-keygen -R HOST`"},
	{"Host key verification failed", false, "its key is not known here: log in by hand once, with `ssh HOST`"},
	{"Permission denied", false, "it lets you in with a key alone: try `ssh-copy-id HOST`"},
	{"Too many authentication failures", false, "name one key for it, as IdentityFile in ~/.ssh/config"},
	{"Temporary failure in name resolution", true, "does the name server answer?"},
	{"Could not resolve hostname", false, "is the name right?"},
	{"Connection refused", true, "does sshd run there, at this port?"},
	{"timed out", true, adviceSilent},
	{"No route to host", true, adviceSilent},
	{"kex_exchange_identification", true, adviceClosed},
	{"Connection closed", true, adviceClosed},
	{"Connection reset", true, adviceClosed},
	{"closed by remote host", true, adviceClosed},
}

// troubleOf finds the trouble in the output of an ssh that has ended.
func troubleOf(printed []byte, status int) trouble {
	for _, t := range troubles {
		if strings.Contains(string(printed), t.says) {
			t.passes = t.passes && status == sshFailed
			return t
		}
	}
	return trouble{advice: "try `ssh -o BatchMode=yes HOST true`"}
}

// lastLine returns the last line of a text that is not empty.
func lastLine(text []byte) string {
	lines := strings.FieldsFunc(string(text), func(c rune) bool { return c == '\n' || c == '\r' })
	for i := len(lines) - 1; i >= 0; i-- {
		if line := strings.TrimSpace(lines[i]); line != "" {
			return line[:min(len(line), 300)]
		}
	}
	return ""
}

// Unreached is a host that ssh did not reach.
type Unreached struct {
	Host   string
	Tries  int    // number of ssh that have ended
	Says   string // last line that the last ssh printed
	Advice string // the remedy
}

func (u Unreached) String() string {
	says := "said nothing"
	if u.Says != "" {
		says = fmt.Sprintf("said %q", u.Says)
	}
	if u.Tries > 1 {
		says += fmt.Sprintf(" at try %d", u.Tries)
	}
	return fmt.Sprintf("host %s: ssh %s: %s", u.Host, says, strings.ReplaceAll(u.Advice, "HOST", u.Host))
}

// UnreachedError is the error of a job that could not start because ssh did not reach hosts. Nothing was started on
// them.
type UnreachedError struct {
	Hosts  []Unreached
	Status int // of the first ssh that failed for good
}

func (e *UnreachedError) Error() string { return "reach hosts: " + listHosts(e.Hosts) }

// listHosts describes the first of many hosts.
func listHosts(hosts []Unreached) string {
	var texts []string
	for _, h := range hosts[:min(len(hosts), 8)] {
		texts = append(texts, h.String())
	}
	if more := len(hosts) - len(texts); more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more hosts", more))
	}
	return strings.Join(texts, "; ")
}

// unreached lists the hosts that ssh did not reach, with its reasons.
func (h *hosts) unreached() (all []Unreached) {
	seen := make(map[string]bool)
	for _, a := range h.agents {
		if a.tries > 0 && !a.reached && !seen[a.host] {
			seen[a.host] = true
			all = append(all, Unreached{a.host, a.tries, lastLine(a.printed), a.trouble.advice})
		}
	}
	return all
}

// dialled returns the number of processes on hosts that ssh has not reached yet.
func (h *hosts) dialled() (n int) {
	for _, a := range h.agents {
		if a.login != nil {
			n += len(a.processes)
		}
	}
	return n
}
