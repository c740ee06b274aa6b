package launch

import (
	"fmt"
	"io"
	"os"
)

// startsAtOnce bounds the processes of one host that have been started and have not yet joined or ended: an ssh server
// drops connections at random when more than ten are about to log in.
const startsAtOnce = 8

// startMore starts as many processes as may be started now.
func (j *job) startMore() {
	if j.stage != going {
		return
	}
	starting := make(map[string]int)
	for _, p := range j.processes {
		if p.Started && !p.Joined && !p.ended {
			starting[p.Host]++
		}
	}
	for _, p := range j.processes {
		if p.Started || p.Host != "" && starting[p.Host] >= startsAtOnce {
			continue
		}
		starting[p.Host]++
		if err := j.start(p); err != nil {
			j.fail(fmt.Errorf("start job: %w", err))
			j.ask(askedLimit)
			return
		}
	}
}

// start starts one process.
func (j *job) start(p *process) error {
	stdout, err := j.stream(p, j.spec.Stdout)
	if err != nil {
		return err
	}
	defer stdout.release()
	stderr, err := j.stream(p, j.spec.Stderr)
	if err != nil {
		return err
	}
	defer stderr.release()
	e := environment{
		job: j.id, process: p.Process, processes: len(j.processes), ranks: j.spec.Ranks,
		launcher: j.rendezvous.address(), bind: j.spec.memberBind(), startLimit: j.spec.StartLimit,
		transport: j.spec.Transport,
	}
	start := p.startHere
	if p.Host != "" {
		start = p.startThere
	}
	if err := start(j.spec, e, j.secret, stdout.file, stderr.file); err != nil {
		return err
	}
	j.started++
	go func() {
		p.wait()
		j.exits <- p
	}()
	return nil
}

// stream is the file that a process prints to.
type stream struct {
	file *os.File
	ours bool // made for it
}

func (s stream) release() {
	if s.ours {
		s.file.Close()
	}
}

func (j *job) stream(p *process, to io.Writer) (stream, error) {
	prefix := ""
	if j.spec.Prefix {
		prefix = "[" + p.ranks() + "] "
	} else if file, ok := to.(*os.File); ok && p.Process == 0 && p.Host == "" {
		return stream{file: file}, nil
	}
	file, err := j.output.forward(to, prefix)
	if err != nil {
		return stream{}, fmt.Errorf("make pipe for the output of %s: %w", p.name(), err)
	}
	return stream{file, true}, nil
}
