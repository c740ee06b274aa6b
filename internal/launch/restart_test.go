package launch

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The launcher starts a job again after the death of a process, but not after an error of the program or command line.
func TestDeaths(t *testing.T) {
	for _, c := range []struct {
		err         error
		died, again bool // for the first run of a job, and for a later one
	}{
		{nil, false, false},
		{errors.New("find program"), false, false},
		{ErrPreempted, false, false},
		{&SignalError{15}, false, false},
		{&FailedError{First: Outcome{Status: ExitError}}, false, false},
		{&FailedError{First: Outcome{Status: ExitPanic}}, false, false},
		{&FailedError{First: Outcome{Status: 137, Signal: 9}}, true, true},
		{&FailedError{First: Outcome{Status: 137, Host: "a"}}, true, true},
		{&FailedError{First: Outcome{Status: sshFailed, Host: "a"}}, true, true},
		{&FailedError{First: Outcome{Status: ExitStalled}}, true, true},
		{&FailedError{First: Outcome{Status: ExitFollower}, Lost: "process 1: silence"}, true, true},
		{fmt.Errorf("job: %w", &UnreachedError{Hosts: []Unreached{{Host: "a"}}}), false, true},
	} {
		require.Equal(t, c.died, hasDied(c.err, false), "%v", c.err)
		require.Equal(t, c.again, hasDied(c.err, true), "%v", c.err)
	}
}

// Spare hosts replace lost ones; without any, the job shrinks, down to the last host.
func TestLostHostsAreLeft(t *testing.T) {
	s := Spec{Processes: 6, Ranks: 12, Hosts: []string{"a", "a", "b", "b", "c", "c"}, Spare: []string{"d"}}
	lose := func(err error) {
		s.leave(lostHosts(err))
		require.Equal(t, 0, s.Processes%len(s.Hosts))
	}
	lose(&FailedError{First: Outcome{Host: "b", Status: 137}}) // only the process died
	require.Equal(t, []string{"a", "a", "b", "b", "c", "c"}, s.Hosts)
	lose(&FailedError{First: Outcome{Host: "b", Status: sshFailed}})
	require.Equal(t, []string{"a", "a", "d", "d", "c", "c"}, s.Hosts)
	require.Empty(t, s.Spare)
	lose(&FailedError{First: Outcome{Host: "a", Status: ExitFollower}, Lost: "silence"})
	require.Equal(t, []string{"d", "d", "c", "c"}, s.Hosts)
	require.Equal(t, []int{4, 8}, []int{s.Processes, s.Ranks})
	lose(&UnreachedError{Hosts: []Unreached{{Host: "d"}, {Host: "c"}}})
	require.Equal(t, []string{"c", "c"}, s.Hosts, "the last host stays")
	require.Equal(t, []int{2, 4}, []int{s.Processes, s.Ranks})
	lose(&FailedError{First: Outcome{Status: sshFailed}})
	require.Equal(t, []string{"c", "c"}, s.Hosts)
}
