package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// signalNames are the signal names that the script on another host accepts.
var signalNames = map[syscall.Signal]string{
	syscall.SIGINT: "INT", syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP", syscall.SIGQUIT: "QUIT",
	syscall.SIGUSR1: "USR1", syscall.SIGKILL: "KILL",
}

// connectsMin is the minimum number of tries within the start limit of a host that does not answer.
const connectsMin = 2

// sshArguments returns the arguments of the command that runs a shell on a host.
func sshArguments(s *Spec, host, job string) []string {
	args := append([]string{}, s.SSH...)
	if filepath.Base(args[0]) == "ssh" { // options that the user has given come first, and ssh takes the first
		args = append(args, "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
			"-o", fmt.Sprintf("ConnectTimeout=%d", (s.StartLimit/connectsMin+time.Second-1)/time.Second), "--")
	}
	return append(args, host, loader(job))
}

// loader returns the command for the other host. It reports that it runs, reads a script from its standard input up to
// an unpredictable line, and runs it. So no argument or variable of the user goes through the user's login shell, of
// any kind, or is visible in a list of processes; the command contains nothing that any shell would misread.
//
// The script holds the secret. A variable that a login exports stays exported when a shell sets it, and one may have
// told the shell to export all (bash takes SHELLOPTS from its environment): so the loader ends both first.
func loader(job string) string {
	return `exec sh -c 'set +a; unset ` + strings.Join(shellVariables, " ") + `; echo ` + loginReady(job) + ` >&2; ` +
		`pebbles_n=$(printf "\nx"); pebbles_n=${pebbles_n%x}; while IFS= read -r pebbles_line; do ` +
		`case $pebbles_line in ` + scriptEnd(job) + `) eval "$pebbles_script"; exit;; esac; ` +
		`pebbles_script=$pebbles_script$pebbles_line$pebbles_n; done; exit 1'`
}

// shellVariables are the variables of the loader and its script. The program must not see them, and the user's must
// have other names.
var shellVariables = []string{
	"pebbles_n", "pebbles_line", "pebbles_script", "pebbles_watcher", "pebbles_signal", "pebbles_status",
	"pebbles_group", "pebbles_stopped",
}

func scriptEnd(job string) string { return "end-of-script-" + job }

// supervision is the last part of the script. It runs the program, with the secret on descriptor 3. It passes the
// signals whose names it reads on to the whole process group, and ends the group when its input ends, because the
// launcher or ssh has gone. Traps protect the shell from the signals; the program does not inherit them.
//
// At the word for it, it counts the consecutive times that a process of the group was found stopped, and kills that
// process at the limit. Without /proc, nothing counts as stopped.
const supervision = `exec 4<&0 </dev/null
trap : HUP INT QUIT TERM USR1
(
	trap : HUP TERM USR1
	pebbles_stopped=0
	read -r pebbles_line </proc/self/stat
	set -- ${pebbles_line##*) }
	pebbles_group=$3
	while IFS= read -r pebbles_signal <&4; do
		case $pebbles_signal in ` + stopCheckWord + `) ;; *) kill -s "$pebbles_signal" 0; continue;; esac
		pebbles_status=0
		for pebbles_script in /proc/[0-9]*/stat; do
			read -r pebbles_line <"$pebbles_script" || continue
			set -- ${pebbles_line##*) }
			[ "$1 $3" = "T $pebbles_group" ] || continue
			pebbles_status=$((pebbles_stopped + 1))
			[ $pebbles_status -lt %d ] || { echo %s >&5; kill -s KILL "${pebbles_line%%%% *}"; }
		done
		pebbles_stopped=$pebbles_status
	done
	kill -s TERM 0; sleep 2; kill -s KILL 0
) 5>&2 >/dev/null 2>&1 &
pebbles_watcher=$!
"$@" 3<<EOF 4<&-
%sEOF
pebbles_status=$?
trap '' HUP TERM
kill -s KILL $pebbles_watcher
kill -s TERM 0
exit $pebbles_status
`

// stopCheckWord makes the script check whether the program is stopped.
const stopCheckWord = "CHECK"

// remoteScript returns the script for the shell on the other host.
func remoteScript(s *Spec, e environment, secret []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "cd %s || exit 1\n", quote(s.Dir))
	for _, v := range append(append([]string{}, s.Env...), e.list(3)...) {
		name, value, _ := strings.Cut(v, "=")
		fmt.Fprintf(&b, "export %s=%s\n", name, quote(value))
	}
	b.WriteString("set --")
	for _, w := range s.Program {
		b.WriteString(" " + quote(w))
	}
	checks := (s.SilenceLimit + stopCheckInterval - 1) / stopCheckInterval
	why := stoppedTooLong(fmt.Sprint("process ", e.process), s.SilenceLimit) + "; it is killed now"
	fmt.Fprintf(&b, "\n"+supervision+"%s\n", checks, quote(why), formatSecret(secret), scriptEnd(e.job))
	return b.String()
}

// quote returns any text as one word of a POSIX shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// control is the standard input of ssh: it takes the script for the other host, then the names of signals. A goroutine
// writes, since ssh reads nothing before it is connected, and a script may exceed the capacity of a pipe.
type control struct {
	file  *os.File
	queue chan string
	ended chan struct{} // closed when the goroutine has ended
}

// controlQueue bounds the queue for a host that does not read. Such a host is ended by other means.
const controlQueue = 64

func newControl(file *os.File) *control {
	c := &control{file: file, queue: make(chan string, controlQueue), ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		for w := range c.queue {
			_, _ = c.file.WriteString(w) // fails if ssh has ended, which is seen elsewhere
		}
	}()
	return c
}

// write queues text for the goroutine, without waiting. It must not be called after close.
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
