package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
	"github.com/activepebbles/pebbles/internal/scenario"
)

// setOnly removes the variables of launchers from the process, and sets those given as NAME=value.
func setOnly(t *testing.T, settings ...string) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if strings.HasPrefix(name, "PMI") || strings.HasPrefix(name, "OMPI_") || strings.HasPrefix(name, "SLURM_") ||
			name == varIndex ||
			slices.Contains(variables, name) || name == varAlone || name == varRendezvous || name == varRendezvousDir {
			t.Setenv(name, "") // restores it
			os.Unsetenv(name)
		}
	}
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		t.Setenv(name, value)
	}
}

// The files of testdata show the effects of the environment that launchers and users have left: the job of the process,
// the report of doctor, the permission to run alone, and the readers of its secret.
func TestScenarios(t *testing.T) {
	defer joined.Store(joined.Swap(0)) // restores the state after tests that join
	scenario.Run(t, func(t *testing.T, l *scenario.Log) scenario.Verbs {
		secret := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(secret, []byte(strings.Repeat("a7", secretBytes)), 0o600))
		p := &told{T: t, Log: l, paths: map[string]string{"FOLDER": t.TempDir(), "SECRET": secret}}
		return scenario.Verbs{
			"given": p.given, "detect": p.detect, "examine": p.examine, "children": p.children, "alone": p.alone,
			"parse": p.parse, "secret": p.secret, "readers": p.readers,
		}
	})
}

// told is a process that logs the effects of its environment.
type told struct {
	*testing.T
	*scenario.Log
	paths map[string]string // paths that files write as $NAME
}

// values returns the values of a command, with paths instead of their names.
func (p *told) values(c *scenario.Command) map[string]string {
	all := c.Values()
	for name, value := range all {
		all[name] = os.Expand(value, func(path string) string { return p.paths[path] })
	}
	return all
}

// say logs a line, with names instead of paths, or the text of an error.
func (p *told) say(err error, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if err != nil {
		text = err.Error()
	}
	for name, path := range p.paths {
		text = strings.ReplaceAll(text, path, "$"+name)
	}
	p.Say("%s", regexp.MustCompile(`pebbles-doctor-\d+`).ReplaceAllString(text, "pebbles-doctor-*"))
}

// given sets the process's variables, without others of a launcher.
func (p *told) given(c *scenario.Command) {
	var settings []string
	for name, value := range p.values(c) {
		settings = append(settings, name+"="+value)
	}
	setOnly(p.T, settings...)
}

func (p *told) detect(*scenario.Command) {
	found, err := detect()
	require.Equal(p, !errors.Is(err, errNoTask), Started(false), "also where it makes no sense, so that Join tells of it")
	if err != nil {
		p.say(err, "")
		return
	}
	require.False(p, Started(true))
	p.Setenv(varAlone, "1")
	require.False(p, Started(false))
	os.Unsetenv(varAlone)
	p.say(nil, "%s: process %d of %d, for %s", found.launcher, found.process, found.processes,
		strings.Join(found.because, ", "))
	p.say(nil, "descriptor %q, rendezvous %q, name %q, address %q, on one host: %v",
		found.descriptor, found.rendezvous, found.name, found.address, found.local)
}

func (p *told) examine(*scenario.Command) {
	f := Examine(p.Context(), false)
	require.Positive(p, f.Cores)
	require.NotContains(p, fmt.Sprint(f), "SECRET")
	p.say(nil, "process %d of %d by %q, meets %q, listens %q", f.Process, f.Processes, f.Launcher, f.Meets, f.Listens)
	if f.Problem != "" {
		p.say(nil, "problem: %s", f.Problem)
	}
	left, err := os.ReadDir(p.paths["FOLDER"])
	require.NoError(p, err)
	require.Empty(p, left)
}

// children logs the number of processes of the job: under any launcher, a child of a task is not a task.
func (p *told) children(*scenario.Command) {
	found, err := detect()
	require.NoError(p, err)
	_, err = loadSettings(found)
	require.NoError(p, err)
	_, err = detect()
	require.ErrorIs(p, err, errNoTask)
	tasks, variable := foreignTasks()
	require.Zero(p, tasks, variable)
	p.say(nil, "%d processes, whose children are none", found.processes)
}

func (p *told) alone(*scenario.Command) {
	require.NoError(p, CheckAlone(true))
	err := CheckAlone(false)
	p.say(err, "yes")
	if err == nil {
		return
	}
	require.ErrorContains(p, err, "set PEBBLES_ALONE=1 to run alone on purpose")
	for value, says := range map[string]string{
		"0": err.Error(), "1": "", "yes, please": `PEBBLES_ALONE="yes, please" is neither 1 nor 0`,
	} {
		p.Setenv(varAlone, value)
		if err := CheckAlone(false); says == "" {
			require.NoError(p, err)
		} else {
			require.EqualError(p, err, says)
		}
	}
}

// parse changes some of the variables of a job of ours.
func (p *told) parse(c *scenario.Command) {
	values := goodVariables()
	maps.Copy(values, p.values(c))
	e, err := parseEnvironment(values)
	p.say(err, "%+v", e)
}

func (p *told) secret(c *scenario.Command) {
	_, err := loadSecret(p.values(c))
	p.say(err, "it is read")
}

// readers logs whether a file of the given mode may hold a secret of user 1000 in groups 2000 and 65532.
func (p *told) readers(c *scenario.Command) {
	mode, err := strconv.ParseUint(c.Text("mode", ""), 8, 32)
	require.NoError(p, err)
	owner, group := c.Int("owner", 1000), c.Int("group", 2000)
	p.say(checkReaders(fs.FileMode(mode), owner, group, 1000, []int{2000, 65532}), "yes")
}

// TestNamesOfJobsDiffer names jobs that must not meet in one folder.
func TestNamesOfJobsDiffer(t *testing.T) {
	seen := make(map[string]bool)
	for _, more := range []string{"", "SLURM_JOB_ID=8", "SLURM_STEP_ID=2", "SLURM_RESTART_COUNT=1",
		"SLURM_CLUSTER_NAME=b"} {
		setOnly(t, "SLURM_JOB_ID=7", "SLURM_STEP_ID=1", "SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=2")
		if name, value, ok := strings.Cut(more, "="); ok {
			t.Setenv(name, value)
		}
		got, err := detect()
		require.NoError(t, err)
		require.False(t, seen[got.name], more)
		seen[got.name] = true
		require.Equal(t, filepath.Base(got.name), got.name, "no folder")
	}
}

func TestRanksOfTasks(t *testing.T) {
	p := func(host, cpus string, cores int) bootstrap.Process {
		return bootstrap.Process{Host: host, CPUs: cpus, Cores: cores}
	}
	for _, c := range []struct {
		name  string
		all   []bootstrap.Process
		asked int
		want  int
	}{
		{"one a host", []bootstrap.Process{p("a", "0-7", 8), p("b", "0-7", 8)}, 0, 16},
		{"they share a host", []bootstrap.Process{p("a", "0-7", 8), p("a", "0-7", 8)}, 0, 8},
		{"each has its own cores", []bootstrap.Process{p("a", "0-3", 4), p("a", "4-7", 4)}, 0, 8},
		{"more than cores", []bootstrap.Process{p("a", "0", 1), p("a", "0", 1), p("a", "0", 1)}, 0, 3},
		{"the smallest decides", []bootstrap.Process{p("a", "0-7", 8), p("b", "0-1", 2)}, 0, 4},
		{"as asked", []bootstrap.Process{p("a", "0-7", 8), p("b", "0-1", 2)}, 5, 5},
	} {
		got, err := ranksOf(c.all, c.asked)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
	}
	_, err := ranksOf(make([]bootstrap.Process, 4), 3)
	require.EqualError(t, err,
		"3 ranks were asked for, and the launcher has started 4 processes: each has at least one rank")
	_, err = ranksOf(make([]bootstrap.Process, 4), ranksMax+1)
	require.ErrorContains(t, err, "a job has at most 16777216")
}

func TestAddressesOfThisHost(t *testing.T) {
	own, err := ownAddress()
	if err == nil {
		require.NotEqual(t, "0.0.0.0", own)
	}
	here, err := towards("127.0.0.1:9")
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1", here)
	_, err = towards("nobody.invalid:9")
	require.ErrorContains(t, err, "find the address of this host by which it reaches nobody.invalid:9")
}

// TestLauncherIsOneOfSeveralTasks starts several launchers of this package by another launcher.
func TestLauncherIsOneOfSeveralTasks(t *testing.T) {
	defer joined.Store(joined.Swap(0))
	t.Setenv("PMI_SIZE", "2")
	spec := Spec{Processes: 1, Program: []string{"true"}, Stdout: os.Stderr}
	result, err := Run(context.Background(), spec)
	require.ErrorContains(t, err, "start job: another launcher has started this process as one of 2 (PMI_SIZE=2)")
	require.Equal(t, ExitError, result.Status)
	spec.Alone = true
	_, err = Run(context.Background(), spec)
	require.NoError(t, err)
}

func TestJobOfAProcessThatHasJoined(t *testing.T) {
	defer joined.Store(joined.Swap(3))
	require.True(t, Joined())
	require.ErrorContains(t, CheckAlone(false), "one of a job of 3 processes")
	require.NoError(t, CheckAlone(true))
}
