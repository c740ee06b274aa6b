package launch

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"
)

const (
	loginsAtOnce = 32 // ssh that have not reached their host yet, in all
	loginPause   = 100 * time.Millisecond
	loginPauses  = 3 * time.Second // the longest pause
	heardMax     = 64 << 10        // bytes that are kept of what ssh says
)

// login is one ssh until the other host's shell has said, on standard error, that it is there. That shell gets the script only
// then: an ssh that ends before has started nothing, and may be tried again.
type login struct {
	process *process
	word    []byte        // the line that the shell prints
	reached chan<- *login // is sent this when the line has come
	heard   []byte        // what came before it; may be read when over is closed
	gone    chan struct{} // closed when ssh has ended
	over    chan struct{} // closed when the line, or the end, has come
}

// loginWord is the line by which the loader says that it is there.
func loginWord(job string) string { return "ready-" + job }

func (j *job) newLogin(p *process) *login {
	return &login{process: p, word: []byte(loginWord(j.id) + "\n"), reached: j.logins, gone: make(chan struct{}), over: make(chan struct{})}
}

// listen reads up to the line, and returns what is for standard error then: what came before and after it. When the end
// comes first, all stays in heard.
func (l *login) listen(r io.Reader, piece []byte) []byte {
	defer close(l.over)
	for {
		n, err := r.Read(piece)
		l.heard = append(l.heard, piece[:n]...)
		if before, after, ok := bytes.Cut(l.heard, l.word); ok {
			text := slices.Concat(before, after)
			l.heard = nil
			select {
			case l.reached <- l:
			case <-l.gone:
			}
			return text
		}
		if more := len(l.heard) - heardMax; more > 0 {
			l.heard = l.heard[more:]
		}
		if err != nil {
			return nil
		}
	}
}

// leave is called when ssh has ended. It waits until its standard error has been read, if not for long: what ssh leaves behind may
// keep that open.
func (l *login) leave() {
	if l == nil {
		return
	}
	close(l.gone)
	select {
	case <-l.over:
	case <-time.After(lastWordsLimit):
	}
}

// reach has the script sent to a shell that is there.
func (j *job) reach(l *login) {
	p := l.process
	if p.login != l {
		return // its ssh has ended, and with it the shell
	}
	j.leaveLogin(p)
	if j.stage != going {
		p.signalled = true
		p.kill(syscall.SIGKILL)
		return
	}
	p.reached = true
	p.control.say(p.script)
}

// leaveLogin notes that a process's ssh has reached its host, or has ended, and returns what it had printed.
func (j *job) leaveLogin(p *process) (heard []byte) {
	if p.login == nil {
		return nil
	}
	select {
	case <-p.login.over:
		heard = p.login.heard
	default: // something else holds its standard error
	}
	p.login = nil
	j.dialling--
	return heard
}

// miss notes why an ssh that has ended did not reach its host, and reports whether it will be tried again. The start limit
// ends the tries.
func (j *job) miss(p *process, heard []byte) (again bool) {
	p.tries++
	p.heard, p.trouble = heard, troubleOf(heard, p.Status)
	if j.stage != going || !p.trouble.passes {
		j.print(p)
		p.missed = true
		return false
	}
	pause := min(loginPause<<min(p.tries-1, 8), loginPauses)
	pause += rand.N(pause / 2) // the hosts that turn connections away do so at random: so should who comes again
	j.spec.Log.Warn("host was not reached, try again", "host", p.Host, "ssh", lastLine(p.heard), "pause", pause)
	j.started--
	j.starting[p.Host]--
	j.resting++
	p.reset()
	time.AfterFunc(pause, func() { j.rested <- p })
	return true
}

// print writes what ssh has said of a host that was not reached, as process p would have printed it.
func (j *job) print(p *process) {
	l := &lines{output: &j.output, from: p.name(), to: j.spec.Stderr, prefix: j.prefix(p)}
	l.copy(bytes.NewReader(p.heard))
}

// rest ends the pause of a process whose ssh is tried again.
func (j *job) rest(p *process) {
	j.resting--
	j.waiting = append(j.waiting, p)
}

// unheard reports whether there are processes that no signal reaches, since they have not begun.
func (j *job) unheard() bool { return len(j.waiting)+j.resting+j.dialling > 0 }
