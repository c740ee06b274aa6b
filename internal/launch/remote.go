package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// connectsMin is the minimum number of tries, within the start limit, for a host that does not answer.
const connectsMin = 2

// sshArguments returns the arguments of the command that runs a shell on a host.
func sshArguments(s *Spec, host, job string) []string {
	args := append([]string{}, s.SSH...)
	if filepath.Base(args[0]) == "ssh" { // the user's options come first, and ssh takes the first of each
		args = append(args, "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
			"-o", fmt.Sprintf("ConnectTimeout=%d", (s.StartLimit/connectsMin+time.Second-1)/time.Second), "--")
	}
	return append(args, host, loader(job))
}

// loader returns the command for the other host. The command reports that it runs, reads a script from its standard
// input up to an unpredictable line, and runs it. So no argument or variable of the user passes through the user's
// login shell or shows in a list of processes. The command contains nothing that any shell would misread.
//
// A variable that a login exports stays exported when a shell sets it, and the login may have told the shell to export
// all (bash takes SHELLOPTS from its environment). The loader therefore ends both first.
func loader(job string) string {
	return `exec sh -c 'set +a; unset ` + strings.Join(shellVariables, " ") + `; echo ` + loginReady(job) + ` >&2; ` +
		`pebbles_n=$(printf "\nx"); pebbles_n=${pebbles_n%x}; while IFS= read -r pebbles_line; do ` +
		`case $pebbles_line in ` + scriptEnd(job) + `) eval "$pebbles_script"; exit;; esac; ` +
		`pebbles_script=$pebbles_script$pebbles_line$pebbles_n; done; exit 1'`
}

// shellVariables are the variables of the loader and its script. The program must not see them, and the user's must
// have other names.
var shellVariables = []string{"pebbles_n", "pebbles_line", "pebbles_script"}

func scriptEnd(job string) string { return "end-of-script-" + job }

// remoteScript returns the script for the shell on the other host. The shell becomes the agent, whose arguments are the
// program. The agent is the launcher's own executable, and reads all else from its standard input.
func remoteScript(s *Spec, job, agent string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cd %s || exit 1\n", quote(s.Dir))
	for _, v := range s.Env {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&b, "export %s=%s\n", name, quote(value))
	}
	fmt.Fprintf(&b, "[ -x %s ] || { echo %s >&2; exit 127; }\n", quote(agent), quote(missingAgent(agent)))
	b.WriteString("set --")
	for _, w := range s.Program {
		b.WriteString(" " + quote(w))
	}
	fmt.Fprintf(&b, "\nexport %s=%s\nexec %s \"$@\"\n%s\n", varAgent, job, quote(agent), scriptEnd(job))
	return b.String()
}

func missingAgent(agent string) string {
	return "the launcher, " + agent + ", is not on this host: install it at the same path, it starts the processes here"
}

// quote returns any text as one word of a POSIX shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// control is the standard input of ssh: it takes the script for the other host, then messages for the agent. A
// goroutine writes, because ssh reads nothing before it is connected, and a script may be too long for a pipe.
type control struct {
	file  *os.File
	queue chan string
	ended chan struct{} // closed when the goroutine has ended
}

// controlQueue bounds the queue for a host that does not read. The launcher ends such a host by other means.
const controlQueue = 64

func newControl(file *os.File) *control {
	c := &control{file: file, queue: make(chan string, controlQueue), ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		for w := range c.queue {
			_, _ = c.file.WriteString(w) // fails if ssh has ended, which the loop handles
		}
	}()
	return c
}

// write queues text for the goroutine, without waiting; a full queue drops it. It must not be called after close.
func (c *control) write(text string) {
	select {
	case c.queue <- text:
	default:
	}
}

func (c *control) close() {
	close(c.queue)
	c.file.Close() // ends a waiting write
	<-c.ended
}
