package appstest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/pebble"
)

// Members is the number of processes of a job whose processes are killed. Each has one rank.
const Members = 3

const (
	memberVariable = "APPSTEST_MEMBER" // of a process of such a job: its number, its transport, and its action
	killsVariable  = "PEBBLES_KILLS"   // number of processes that Kills kills
)

// Member reports whether [Kills] has started this process. If so, it runs the process's rank, and prints the result. It
// is for TestMain.
func Member(run func(r *pebble.Rank, does string) error) bool {
	text, ok := os.LookupEnv(memberVariable)
	if !ok {
		return false
	}
	if err := member(text, run); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	return true
}

func member(text string, run func(r *pebble.Rank, does string) error) error {
	var process int
	var transport, does string
	if _, err := fmt.Sscan(text, &process, &transport, &does); err != nil {
		return err
	}
	c, err := netiotest.Join(process, Members)
	if err != nil {
		return err
	}
	tr, err := connect.Dial(context.Background(), c, transport)
	if err == nil {
		err = pebble.Run(context.Background(), pebble.Config{Ranks: Members, Transport: tr},
			func(r *pebble.Rank) error { return run(r, does) })
	}
	fmt.Println("ended", strings.ReplaceAll(fmt.Sprint(err), "\n", "; "))
	return nil
}

// Flows reports that the job is under way: a process may be killed.
func Flows() { fmt.Println("flows") }

// Kills starts a number of jobs, or PEBBLES_KILLS of them if it is set, and kills one of the victims in each, in turn.
// The others must end with an error that names it. It returns the processes.
func Kills(t *testing.T, jobs int, transport, does string, victims ...int) (all []*netiotest.Member) {
	t.Helper()
	if text := os.Getenv(killsVariable); text != "" {
		var err error
		jobs, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	var took []time.Duration
	for i := range jobs {
		job := make([]*netiotest.Member, Members)
		for process := range job {
			job[process] = netiotest.Start(t, fmt.Sprintf("%s=%d %s %s", memberVariable, process, transport, does))
		}
		took = append(took, netiotest.KillOne(t, job, victims[i%len(victims)])...)
		all = append(all, job...)
	}
	require.Len(t, took, jobs*(Members-1))
	slices.Sort(took)
	half, last := took[len(took)/2], took[len(took)-1]
	t.Logf("%d processes were killed; the others ended after %v, the last one after %v", jobs, half, last)
	return all
}
