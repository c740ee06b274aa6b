package launch

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
)

// These environment variables describe its job to a process. The secret is not among them.
const (
	varJob        = "PEBBLES_JOB"           // the job's id
	varProcess    = "PEBBLES_PROCESS"       // the number of this process
	varProcesses  = "PEBBLES_PROCESSES"     // number of processes
	varRanks      = "PEBBLES_RANKS"         // ranks of the whole job
	varLauncher   = "PEBBLES_LAUNCHER"      // host:port of the launcher
	varSecretFD   = "PEBBLES_SECRET_FD"     // descriptor to read the secret from, or
	varSecretFile = "PEBBLES_SECRET_FILE"   // file that holds it, readable only by its owner
	varBind       = "PEBBLES_BIND"          // address or interface to listen on; absent: that of the line
	varStartLimit = "PEBBLES_START_LIMIT"   // limit of the start, as "30s"; absent: 30 s
	varSilence    = "PEBBLES_SILENCE_LIMIT" // silence after which a process counts as lost; absent: 10 s
	varTransport  = "PEBBLES_TRANSPORT"     // transport between processes, as for connect.Dial; absent: auto
	varConnect    = "PEBBLES_CONNECT"       // when processes connect: all or need; absent: need above 64 processes
)

var variables = []string{varJob, varProcess, varProcesses, varRanks, varLauncher, varSecretFD, varSecretFile, varBind,
	varStartLimit, varSilence, varTransport, varConnect, varAgent, varBuild}

// varBuild is optional, and for package handshake alone.
const varBuild = handshake.BuildVariable

// processesMax and ranksMax bound the numbers in a malformed environment or message.
const (
	processesMax = 1 << 16
	ranksMax     = 1 << 24
)

const (
	defaultStartLimit   = 30 * time.Second
	defaultSilenceLimit = 10 * time.Second
)

// silenceLimitMin keeps the silence limit above the time that a process may wait for a processor on a busy machine.
const silenceLimitMin = time.Second

// environment holds the values of the variables.
type environment struct {
	job          string
	process      int
	processes    int
	ranks        int
	launcher     string
	bind         string
	startLimit   time.Duration
	silenceLimit time.Duration
	transport    string
	connect      string
	encrypted    bool // the line to the launcher
}

// list formats the environment for a process that inherits the secret as a descriptor.
func (e environment) list(secretFD int) []string {
	vars := []string{
		varJob + "=" + e.job,
		varProcess + "=" + strconv.Itoa(e.process),
		varProcesses + "=" + strconv.Itoa(e.processes),
		varRanks + "=" + strconv.Itoa(e.ranks),
		varLauncher + "=" + e.launcher,
		varStartLimit + "=" + e.startLimit.String(),
		varSilence + "=" + e.silenceLimit.String(),
		varSecretFD + "=" + strconv.Itoa(secretFD),
	}
	if e.bind != "" {
		vars = append(vars, varBind+"="+e.bind)
	}
	if e.transport != "" {
		vars = append(vars, varTransport+"="+e.transport)
	}
	if e.connect != "" {
		vars = append(vars, varConnect+"="+e.connect)
	}
	return vars
}

// removeVariables removes the given variables, and returns those that are set: children of this process do not belong
// to the job.
func removeVariables(names ...string) map[string]string {
	values := make(map[string]string)
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			values[name] = v
			os.Unsetenv(name)
		}
	}
	return values
}

// loadEnvironment reads the variables and the secret that they refer to, and removes them, even if it fails.
func loadEnvironment() (environment, []byte, error) {
	values := removeVariables(variables...)
	e, err := parseEnvironment(values)
	joined.Store(int64(max(1, e.processes)))
	if err != nil {
		return e, nil, err
	}
	secret, err := loadSecret(values)
	return e, secret, err
}

func parseEnvironment(values map[string]string) (environment, error) {
	p := parser{values: values}
	e := environment{
		job:       p.text(varJob),
		processes: p.number(varProcesses, 1, processesMax),
		launcher:  p.text(varLauncher),
		bind:      values[varBind],
		transport: p.transport(varTransport),
		connect:   p.connect(),
	}
	e.startLimit, e.silenceLimit = p.limits()
	e.process = p.number(varProcess, 0, e.processes-1)
	e.ranks = p.number(varRanks, e.processes, ranksMax)
	if len(p.wrong) > 0 {
		return e, fmt.Errorf("read the environment of the job: %s; start the program by `pebbles run`, or set all variables "+
			"that begin with PEBBLES_, or none", strings.Join(p.wrong, "; "))
	}
	return e, nil
}

func loadSecret(values map[string]string) ([]byte, error) {
	descriptor, byFD := values[varSecretFD]
	file, byFile := values[varSecretFile]
	switch {
	case byFD == byFile:
		return nil, fmt.Errorf("read the job's secret: set one of %s and %s", varSecretFD, varSecretFile)
	case byFile:
		secret, err := readSecretFile(file)
		if err != nil {
			return nil, fmt.Errorf("read the job's secret by %s: %w", varSecretFile, err)
		}
		return secret, nil
	}
	n, err := strconv.Atoi(descriptor)
	if err != nil || n < 3 { // 0, 1 and 2 are the program's own
		return nil, fmt.Errorf("read the job's secret: %s=%q is not the number of a descriptor above 2", varSecretFD,
			descriptor)
	}
	secret, err := readSecret(n, 5*time.Second)
	if err != nil {
		return nil, fmt.Errorf("read the job's secret by %s: %w; a program that a member of the job starts must not take "+
			"part in it", varSecretFD, err)
	}
	return secret, nil
}

// parser collects the errors of variables.
type parser struct {
	values map[string]string
	wrong  []string
}

func (p *parser) text(name string) string {
	v := p.values[name]
	if v == "" {
		p.wrong = append(p.wrong, name+" is missing")
	}
	return v
}

func (p *parser) number(name string, low, high int) int {
	v := p.text(name)
	n, err := strconv.Atoi(v)
	if v != "" && (err != nil || n < low || n > high) {
		p.wrong = append(p.wrong, fmt.Sprintf("%s=%q is not a number from %d to %d", name, v, low, high))
	}
	return n
}

func (p *parser) transport(name string) string {
	v := p.values[name]
	if err := checkTransport(v); err != nil {
		p.wrong = append(p.wrong, fmt.Sprintf("%s: %v", name, err))
	}
	return v
}

func (p *parser) connect() string {
	v := p.values[varConnect]
	if err := checkConnect(v); err != nil {
		p.wrong = append(p.wrong, fmt.Sprintf("%s: %v", varConnect, err))
	}
	return v
}

func (p *parser) duration(name string, least, absent time.Duration) time.Duration {
	v, ok := p.values[name]
	if !ok {
		return absent
	}
	d, err := time.ParseDuration(v)
	switch {
	case err != nil || d <= 0:
		p.wrong = append(p.wrong, fmt.Sprintf("%s=%q is not a time such as 30s", name, v))
	case d < least:
		p.wrong = append(p.wrong, fmt.Sprintf("%s=%s is too short, the least is %v", name, v, least))
	}
	return d
}

// limits returns the start limit and the silence limit.
func (p *parser) limits() (start, silence time.Duration) {
	return p.duration(varStartLimit, 1, defaultStartLimit), p.duration(varSilence, silenceLimitMin, defaultSilenceLimit)
}

// withoutJob returns an environment without the variables of a job that this process may belong to.
func withoutJob(vars []string) []string {
	return slices.DeleteFunc(slices.Clone(vars), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return isVariable(name)
	})
}

func isVariable(name string) bool { return slices.Contains(variables, name) }

// ErrJoinedBefore is returned if this process has already joined its job, or tried to.
var ErrJoinedBefore = errors.New("this process has taken part in its job already, and can do so once: call " +
	"pebble.Main or pebble.RunLaunched once in a program that a launcher starts")

var errNotStarted = errors.New("this process was not started as part of a job: run it by " +
	"`pebbles run -n N -- PROGRAM`, mpiexec, mpirun or srun")
