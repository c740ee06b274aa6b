package launch_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestJobOfAnySizeRunsAndEnds(t *testing.T) {
	for _, size := range []struct{ processes, ranks int }{{1, 0}, {1, 3}, {2, 0}, {2, 5}, {5, 0}, {5, 7}} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			r := begin(t, "exchange", launch.Spec{Processes: size.processes, Ranks: size.ranks})
			result, err := r.end(t)
			lines, _ := r.look()
			require.NoError(t, err, lines)
			require.Zero(t, result.Status)
			require.Len(t, result.Outcomes, size.processes)
			next := 0
			for i, o := range result.Outcomes {
				require.Equal(t, i, o.Process)
				require.Equal(t, next, o.First)
				require.True(t, o.Started && o.Joined)
				next = o.Last
			}
			require.Equal(t, max(size.processes, size.ranks), next)
			require.Len(t, r.find(t, "ready", 0), size.processes)
		})
	}
}

func TestTwoJobsAtOnce(t *testing.T) {
	a := begin(t, "exchange", launch.Spec{Processes: 3})
	b := begin(t, "exchange", launch.Spec{Processes: 3})
	first, err := a.end(t)
	require.NoError(t, err)
	second, err := b.end(t)
	require.NoError(t, err)
	require.NotEqual(t, first.Job, second.Job)
}

func TestProcessIsToldItsPlaceAndItsChildrenAreNot(t *testing.T) {
	args := []string{"plain", "with space", `"quotes" 'and' \ $HOME`, "", "two\nlines\n", "-x", "*"}
	dir := t.TempDir()
	r := begin(t, "show", launch.Spec{Processes: 2, Program: args, Dir: dir, Env: []string{"EXTRA=a b"}, Prefix: true})
	_, err := r.end(t)
	require.NoError(t, err)
	requireShown(t, r, args, dir)
}

// requireShown checks what two processes in the role "show" have printed.
func requireShown(t *testing.T, r *run, args []string, dir string) {
	t.Helper()
	processes := map[string]bool{}
	for _, text := range r.find(t, "shown", 2) {
		var shown struct {
			Args                      []string
			Dir, Extra, Process, Name string
			Left                      int
			Started                   bool
		}
		require.NoError(t, json.Unmarshal([]byte(text), &shown))
		require.Equal(t, args, shown.Args)
		require.Equal(t, dir, shown.Dir)
		require.Equal(t, "a b", shown.Extra)
		require.Equal(t, "shm", shown.Name)
		require.Zero(t, shown.Left)
		require.False(t, shown.Started)
		processes[shown.Process] = true
	}
	require.Equal(t, map[string]bool{"0": true, "1": true}, processes)
}

func TestStatusOfTheFirstFailureIsTheJobs(t *testing.T) {
	r := begin(t, "fail:2:7", launch.Spec{Processes: 4, Ranks: 8})
	result, err := r.end(t)
	require.EqualError(t, err, "process 2 (ranks 4-5) ended with status 7 first; the other 3 ended with it")
	require.Equal(t, 7, result.Status)
	require.Equal(t, 7, launch.StatusOf(err))
	for _, i := range []int{0, 1, 3} {
		require.Equal(t, launch.ExitFollower, result.Outcomes[i].Status)
	}
}

func TestKilledProcessIsNamed(t *testing.T) {
	r := begin(t, "wait", launch.Spec{Processes: 3, Prefix: true})
	r.find(t, "ready", 3)
	require.NoError(t, syscall.Kill(number(r.find(t, "[1] ready", 1)[0]), syscall.SIGKILL))
	result, err := r.end(t)
	require.EqualError(t, err, "process 1 (rank 1) was killed by signal 9 (killed) first; the other 2 ended with it")
	require.Equal(t, 137, result.Status)
	require.Equal(t, syscall.SIGKILL, result.Outcomes[1].Signal)
	require.Equal(t, launch.ExitFollower, result.Outcomes[0].Status)
}

// A stopped process is no follower of anything, and ends only when the launcher kills it.
// TestSharedMemoryOfAKilledProcess leaves in /dev/shm what is not the process's own.
func TestSharedMemoryOfAKilledProcess(t *testing.T) {
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip("this system has no named shared memory: ", err)
	}
	r := begin(t, "share", launch.Spec{Processes: 1})
	_, err := r.end(t)
	require.ErrorContains(t, err, "was killed by signal 9")
	names := sharedNames(r.pids(t, "ready", 1)[0])
	t.Cleanup(func() {
		for _, name := range names {
			_ = os.Remove(name)
		}
	})
	for i, name := range names {
		if i < 2 {
			require.NoFileExists(t, name)
		} else {
			require.FileExists(t, name)
		}
	}
}

func TestStoppedProcessIsNamed(t *testing.T) {
	t.Parallel() // it takes as long as its limit
	r := begin(t, "stop:1", launch.Spec{Processes: 2, SilenceLimit: 3 * time.Second, Grace: time.Millisecond})
	result, err := r.end(t)
	require.ErrorContains(t, err, "process 1 (rank 1) was lost (process 0: it said nothing for 3s")
	require.ErrorContains(t, err, "; the other one ended with it")
	require.Equal(t, launch.ExitFollower, result.Outcomes[0].Status)
	require.Equal(t, 137, result.Status)
}

// A process that is stopped when all others have ended in order is missed by nobody but the launcher.
func TestProcessThatStopsAtTheEndIsNamed(t *testing.T) {
	t.Parallel() // it takes as long as its limit
	r := begin(t, "stop-ended", launch.Spec{Processes: 3, SilenceLimit: 2 * time.Second, Grace: time.Millisecond})
	result, err := r.end(t)
	require.ErrorContains(t, err, "process 1 (rank 1) has been stopped for 2s while others have ended: let it go on by `kill -CONT ")
	require.Equal(t, launch.ExitError, result.Status)
}

func TestProcessThatStopsWhileTheJobConnectsIsNamed(t *testing.T) {
	t.Parallel() // it takes as long as its limit
	r := begin(t, "stop-starting", launch.Spec{Processes: 3, StartLimit: 4 * time.Second, Grace: time.Millisecond})
	result, err := r.end(t)
	require.ErrorContains(t, err, "process 1 (rank 1) was lost (process ")
	require.ErrorContains(t, err, "not connected within 4s")
	require.Equal(t, 137, result.Status)
}

func TestEarlyOrderlyExitIsBlamedWhenOthersFollowed(t *testing.T) {
	r := begin(t, "fail:0:0", launch.Spec{Processes: 2})
	result, err := r.end(t)
	require.EqualError(t, err, "process 0 (rank 0) ended with status 0 while others still needed it first; the other one ended with it")
	require.Equal(t, launch.ExitError, result.Status)
}

func TestProcessThatDoesNotEndByItselfIsKilled(t *testing.T) {
	r := begin(t, "stubborn", launch.Spec{Processes: 3, Grace: time.Millisecond})
	pids := r.pids(t, "ready", 3)
	require.NoError(t, syscall.Kill(pids[0], syscall.SIGKILL))
	_, err := r.end(t)
	require.ErrorContains(t, err, "was killed by signal 9 (killed) first; the other 2 ended with it")
}

func TestWhatAProcessHasStartedEndsWithIt(t *testing.T) {
	r := begin(t, "grandchild", launch.Spec{Processes: 2})
	r.find(t, "grandchild", 2)
	r.cancel(errors.New("enough"))
	_, err := r.end(t) // looks for them
	require.EqualError(t, err, "job was ended: enough")
}

func TestWhatAProcessLeavesBehindIsEnded(t *testing.T) {
	for name, s := range map[string]launch.Spec{"here": {Processes: 2}, "there": otherHosts(launch.Spec{Processes: 2}, "sh")} {
		t.Run(name, func(t *testing.T) {
			r := begin(t, "leave", s)
			r.find(t, "grandchild", 2)
			_, err := r.end(t) // looks for them
			require.NoError(t, err)
		})
	}
}

func TestProgramThatNeverJoins(t *testing.T) {
	t.Run("and ends well", func(t *testing.T) {
		r := begin(t, "print:hello", launch.Spec{Processes: 3})
		_, err := r.end(t)
		require.NoError(t, err)
	})
	t.Run("and crashes", func(t *testing.T) {
		r := begin(t, "crash:3", launch.Spec{Processes: 2})
		result, err := r.end(t)
		require.ErrorContains(t, err, "ended with status 3 first; the other one ended with it")
		require.Equal(t, 3, result.Status)
	})
	t.Run("and one crashes", func(t *testing.T) {
		r := begin(t, "crash-one:3", launch.Spec{Processes: 3})
		result, err := r.end(t)
		require.EqualError(t, err, "process 1 (rank 1) ended with status 3 first; the other 2 ended with it")
		require.Equal(t, 3, result.Status)
		require.Equal(t, launch.ExitFollower, result.Outcomes[0].Status)
	})
	t.Run("and one ends well", func(t *testing.T) {
		r := begin(t, "crash-one:0", launch.Spec{Processes: 3})
		result, err := r.end(t)
		require.ErrorContains(t, err, "process 1 (rank 1) ended with status 0 before it joined the job")
		require.Equal(t, launch.ExitError, result.Status)
	})
	t.Run("and does not end", func(t *testing.T) {
		r := begin(t, "never", launch.Spec{Processes: 2, StartLimit: 50 * time.Millisecond})
		result, err := r.end(t)
		require.ErrorContains(t, err, "not all processes have joined within 50ms; missing: process 0 (rank 0), process 1 (rank 1)")
		require.Equal(t, launch.ExitError, result.Status)
	})
	t.Run("and one does not end", func(t *testing.T) {
		for limit := time.Second / 4; ; limit *= 2 { // until the others have the time to join
			r := begin(t, "never-one", launch.Spec{Processes: 3, StartLimit: limit})
			result, err := r.end(t)
			require.ErrorContains(t, err, fmt.Sprintf("within %v; missing: process ", limit))
			if strings.Contains(err.Error(), "missing: process 1 (rank 1);") {
				require.Contains(t, []int{launch.ExitFollower, 143}, result.Outcomes[0].Status) // told by its line, and by SIGTERM
				return
			}
			require.Less(t, limit, testLimit, "processes that have joined are called missing: %v", err)
		}
	})
}

func TestStrangersAtTheStart(t *testing.T) {
	r := begin(t, "knock", launch.Spec{Processes: 3})
	_, err := r.end(t)
	lines, _ := r.look()
	require.NoError(t, err, lines)
}

func TestWrongSecretIsRefused(t *testing.T) {
	r := begin(t, "wrong-secret", launch.Spec{Processes: 2})
	result, err := r.end(t)
	require.EqualError(t, err, "process 1 (rank 1) ended with status 1 first; the other one ended with it")
	require.Equal(t, launch.ExitFollower, result.Outcomes[0].Status)
	r.find(t, "wrong", 1)
}

func TestStdinIsForProcess0(t *testing.T) {
	file := filepath.Join(t.TempDir(), "input")
	require.NoError(t, os.WriteFile(file, []byte("words"), 0o600))
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	r := begin(t, "copy", launch.Spec{Processes: 2, Stdin: f, Prefix: true})
	_, err = r.end(t)
	require.NoError(t, err)
	require.Equal(t, []string{`"words"`}, r.find(t, "[0] stdin", 1))
	require.Equal(t, []string{`""`}, r.find(t, "[1] stdin", 1))
}

func TestProcess0PrintsToTheLaunchersFileItself(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "output"))
	require.NoError(t, err)
	defer file.Close()
	_, err = launch.Run(t.Context(), launch.Spec{
		Processes: 2, Program: []string{executable()}, Env: []string{roleVariable + "=print:words\n"}, Stdout: file,
	})
	require.NoError(t, err)
	out, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Equal(t, "words\nwords\n", string(out))
}

func TestSecretByFile(t *testing.T) {
	wrapper := `umask 077; file=$1.$PEBBLES_PROCESS; cat <&3 >"$file"; unset PEBBLES_SECRET_FD; PEBBLES_SECRET_FILE=$file exec "$0" 3<&-`
	screen := newScreen()
	_, err := launch.Run(t.Context(), launch.Spec{
		Processes: 2, Program: []string{"sh", "-c", wrapper, executable(), filepath.Join(t.TempDir(), "secret")},
		Env: []string{roleVariable + "=exchange"}, Stdout: screen, Stderr: screen,
	})
	lines, _ := screen.look()
	require.NoError(t, err, lines)
	screen.find(t, "ready", 2)
}

func TestContextEndsTheJob(t *testing.T) {
	r := begin(t, "wait", launch.Spec{Processes: 2})
	r.find(t, "ready", 2)
	r.cancel(errors.New("out of time"))
	result, err := r.end(t)
	require.EqualError(t, err, "job was ended: out of time")
	require.Equal(t, launch.ExitError, result.Status)
}

func TestMistakesInTheSpec(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	for _, c := range []struct {
		spec launch.Spec
		says string
	}{
		{launch.Spec{Program: []string{"true"}}, "0 processes were asked for"},
		{launch.Spec{Processes: 2, Program: []string{"true"}, Transport: "mem"}, `none of the name "mem"; there are auto, shm, ofi and tcp`},
		{launch.Spec{Processes: 2}, "no program"},
		{launch.Spec{Processes: 2, Ranks: 1, Program: []string{"true"}}, "1 ranks were asked for, 2 processes need 2 to"},
		{launch.Spec{Processes: 1, Program: []string{"no-such-program-anywhere"}}, "not found"},
		{launch.Spec{Processes: 1, Program: []string{plain}}, "permission denied"},
		{launch.Spec{Processes: 1, Program: []string{"true"}, Dir: "/no/such/dir"}, "no such file or directory"},
		{launch.Spec{Processes: 1, Program: []string{"true", "a\x00b"}}, "zero byte"},
		{launch.Spec{Processes: 1, Program: []string{"true"}, Env: []string{"A-B=1"}}, "not of the form NAME=value"},
		{launch.Spec{Processes: 1, Program: []string{"true"}, Env: []string{"PEBBLES_JOB=1"}}, "the launcher needs this name itself"},
		{launch.Spec{Processes: 2, Program: []string{"true"}, Hosts: []string{"a"}}, "name it in Bind"},
		{launch.Spec{Processes: 1, Program: []string{"true"}, Hosts: []string{"a", "b"}, Bind: "lo"}, "2 hosts for 1 processes"},
		{launch.Spec{Processes: 1, Program: []string{"true"}, Hosts: []string{"-oProxyCommand=x"}, Bind: "lo"}, "can't be the name of a host"},
		{launch.Spec{Processes: 1, Program: []string{"true"}, Bind: "0.0.0.0"}, "every network"},
		{launch.Spec{Processes: 1, Program: []string{"true"}, Hosts: []string{"a"}, Bind: "lo", SSH: []string{"no-such-ssh"}}, "find the command for other hosts"},
	} {
		result, err := launch.Run(t.Context(), c.spec)
		require.ErrorContains(t, err, c.says)
		require.Equal(t, launch.ExitError, result.Status)
	}
	_, err := launch.Run(t.Context(), launch.Spec{Processes: 1, Program: []string{"no-such-program-anywhere"}})
	require.ErrorIs(t, err, exec.ErrNotFound)
	_, err = launch.Run(t.Context(), launch.Spec{Processes: 1, Program: []string{plain}})
	require.ErrorIs(t, err, fs.ErrPermission)
}

// child runs the launcher itself as a process of two workers.
func child(t *testing.T, role string, env ...string) (*exec.Cmd, *screen) {
	t.Helper()
	out := newScreen()
	cmd := exec.Command(executable())
	cmd.Env = append(append(os.Environ(), roleVariable+"=launcher:"+role), env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = testLimit
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, out
}

func TestSignalsAreForwarded(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			cmd, out := child(t, "wait")
			pids := out.pids(t, "ready", 2)
			require.NoError(t, cmd.Process.Signal(s))
			require.Error(t, cmd.Wait())
			require.Equal(t, 128+int(s), cmd.ProcessState.ExitCode())
			require.Equal(t, []string{"job was ended by signal " + itoa(int(s)) + " (" + s.String() + ")"}, out.find(t, "result:", 1))
			for _, pid := range pids {
				awaitGone(t, pid)
			}
		})
	}
}

func TestSecondInterruptKills(t *testing.T) {
	cmd, out := child(t, "stubborn-listening")
	pids := out.pids(t, "ready", 2)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	out.find(t, "signal:", 2)
	time.Sleep(150 * time.Millisecond) // one that comes at once after the first doesn't count
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
	for _, pid := range pids {
		awaitGone(t, pid)
	}
}

func TestLostLauncherEndsAll(t *testing.T) {
	for _, role := range []string{"wait", "never"} {
		t.Run(role, func(t *testing.T) {
			cmd, out := child(t, role)
			pids := out.pids(t, "ready", 2)
			require.NoError(t, cmd.Process.Kill())
			cmd.Wait()
			for _, pid := range pids {
				awaitGone(t, pid)
			}
		})
	}
}

func TestMembersAreToldThatTheLauncherIsGone(t *testing.T) {
	dir := t.TempDir()
	cmd, out := child(t, "gone", "GONE_FILE="+filepath.Join(dir, "gone"))
	pids := out.pids(t, "ready", 2)
	require.NoError(t, cmd.Process.Kill())
	cmd.Wait()
	for _, pid := range pids {
		awaitGone(t, pid)
	}
	for i := range 2 {
		require.FileExists(t, filepath.Join(dir, "gone"+itoa(i)))
	}
}

func TestOutputOfAllIsForwardedInWholeLines(t *testing.T) {
	r := begin(t, "print:first\n\nLONG\nno newline", launch.Spec{Processes: 4, Ranks: 8, Prefix: true})
	_, err := r.end(t)
	require.NoError(t, err)
	lines, _ := r.look()
	require.Len(t, lines, 16)
	for i := range 4 {
		prefix := fmt.Sprintf("[%d-%d] ", 2*i, 2*i+1)
		var mine []string
		for _, l := range lines {
			if strings.HasPrefix(l, prefix) {
				mine = append(mine, strings.TrimPrefix(l, prefix))
			}
		}
		require.Equal(t, []string{"first", "", longLine, "no newline"}, mine)
	}
}

func TestSignalsContext(t *testing.T) {
	ctx, stop := launch.Signals(context.Background())
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	await(t, ctx.Done())
	var signal *launch.SignalError
	require.ErrorAs(t, context.Cause(ctx), &signal)
	require.Equal(t, 143, signal.Status())
	require.Equal(t, 143, launch.StatusOf(context.Cause(ctx)))
	stop()
	stop()
}
