package launch

import (
	"fmt"
	"slices"
)

// startsAtOnce bounds the processes of one host that have been started and have not yet joined or ended: an ssh server
// drops connections at random when more than ten are about to log in.
const startsAtOnce = 8

// upNext is the process to start next; nil when none may be started now.
func (j *job) upNext() *process {
	if j.stage != going {
		return nil
	}
	for _, p := range j.waiting {
		if p.Host == "" || j.starting[p.Host] < startsAtOnce && j.dialling < loginsAtOnce {
			return p
		}
	}
	return nil
}

// begin starts a process that was waiting for its turn. If that fails, so does the job.
func (j *job) begin(p *process) {
	i := slices.Index(j.waiting, p)
	j.waiting = slices.Delete(j.waiting, i, i+1)
	if err := j.start(p); err != nil {
		j.fail(fmt.Errorf("start job: %w", err))
		j.ask(askedLimit)
		return
	}
	j.starting[p.Host]++
}

// start starts one process.
func (j *job) start(p *process) error {
	if p.Host != "" {
		p.login = j.newLogin(p)
	}
	stdout, err := j.stdout(p)
	if err != nil {
		return err
	}
	defer stdout.release()
	stderr, err := j.stderr(p)
	if err != nil {
		return err
	}
	defer stderr.release()
	e := environment{
		job: j.id, process: p.Process, processes: len(j.processes), ranks: j.spec.Ranks,
		launcher: j.rendezvous.address(), bind: j.spec.memberBind(), startLimit: j.spec.StartLimit,
		silenceLimit: j.spec.SilenceLimit, transport: j.spec.Transport,
	}
	start := p.startHere
	if p.Host != "" {
		start = p.startThere
	}
	if err := start(j.spec, e, j.secret, stdout.file, stderr.file); err != nil {
		return err
	}
	j.started++
	if p.login != nil {
		j.dialling++
	}
	go func(l *login) {
		p.wait()
		l.leave()
		j.exits <- p
	}(p.login)
	return nil
}
