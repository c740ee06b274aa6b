package page

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/watch/state"
)

// TestPromtool requires that Prometheus itself accepts the metrics and their names.
func TestPromtool(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is not on PATH: the metrics are not checked by Prometheus's own tool")
	}
	hostile := hostileSource{newMadeUp(4, "died"), "a\"b\\c\nd{}<\xff>"}
	for name, j := range map[string]*state.Job{
		"none": {}, "one": newMadeUp(1, "running").Job(), "died": newMadeUp(64, "died").Job(),
		"many": newMadeUp(4096, "stalled").Job(), "hostile": hostile.Job(),
	} {
		command := exec.Command(promtool, "check", "metrics")
		command.Stdin = bytes.NewReader(metrics(j))
		said, err := command.CombinedOutput()
		require.NoError(t, err, "%s: %s", name, said)
		require.Empty(t, string(said), name)
	}
}

// label and line are the format of a sample.
const label = `[a-z]+="(?:[^"\\\n]|\\["\\n])*"`

var line = regexp.MustCompile(`^[a-z_]+(\{` + label + `(,` + label + `)*\})? [-+0-9.eInfNa]+$`)

// TestMetricsFormat requires HELP and TYPE once for each family, before its samples, and no series twice.
func TestMetricsFormat(t *testing.T) {
	for _, ranks := range []int{1, 4, 64, 1025} {
		family, seen := "", map[string]bool{}
		for _, l := range strings.Split(strings.TrimSuffix(string(metrics(newMadeUp(ranks, "stalled").Job())), "\n"), "\n") {
			if name, ok := strings.CutPrefix(l, "# HELP "); ok {
				family, _, _ = strings.Cut(name, " ")
				require.False(t, seen["HELP "+family])
				seen["HELP "+family] = true
				continue
			}
			if strings.HasPrefix(l, "# TYPE ") {
				require.True(t, strings.HasPrefix(l, "# TYPE "+family+" "), l)
				continue
			}
			require.Regexp(t, line, l)
			require.True(t, strings.HasPrefix(l, family), "%s is not in %s", l, family)
			series := l[:strings.LastIndex(l, " ")]
			require.False(t, seen[series], series)
			seen[series] = true
		}
	}
}

func TestMetricsValues(t *testing.T) {
	started := time.Unix(1000, 5e8)
	j := &state.Job{Ranks: 3, StillSeconds: 1.5, Started: started, Processes: []state.Process{
		{Process: 0, Last: 2, Bound: 100, Resident: 200, Connections: 4, Ranks: []state.Rank{
			{Rank: 0, StillSeconds: 2, Counters: state.Counters{PebblesSent: 7, FlushFull: 3, FlushDeep: 1, Epochs: 4},
				Seconds: state.Seconds{Credit: 0.25, Epochs: 8}, Targets: []state.Target{{Name: "a\"b", Handled: 5}},
				Tasks: []state.Tasks{{Count: 2}, {Count: 3}},
				Links: []state.Link{{To: 2, Target: "t", Bytes: 9, AgeSeconds: 0.5}, {To: 1, Target: "t"}}},
			{Rank: 1, Targets: []state.Target{{Name: "a\"b", Handled: 6}}}}},
		{Process: 1, First: 2, Last: 3, SilentSeconds: 12, Ended: "signal: killed"}}}
	text := "\n" + string(metrics(j))
	for _, want := range []string{
		`pebbles_still_seconds 1.5`, `pebbles_rank_still_seconds{rank="0"} 2`,
		`pebbles_process_silent_seconds{process="1"} 12`,
		`pebbles_process_lost{process="0"} 0`, `pebbles_process_lost{process="1"} 1`,
		`pebbles_link_pending_bytes{rank="0",peer="2",target="t"} 9`,
		`pebbles_link_age_seconds{rank="0",peer="2",target="t"} 0.5`,
		`pebbles_credit_wait_seconds_total{rank="0"} 0.25`, `pebbles_rank_seconds_total{rank="0",state="credit"} 0.25`,
		`pebbles_memory_bound_bytes{process="0"} 100`, `pebbles_resident_bytes{process="0"} 200`,
		`pebbles_connections{process="0"} 4`,
		`pebbles_sent_total{rank="0"} 7`,
		`pebbles_handled_total{rank="0",target="a\"b"} 5`, `pebbles_handled_total{rank="1",target="a\"b"} 6`,
		`pebbles_frames_sent_total{rank="0",reason="full"} 3`, `pebbles_frames_sent_total{rank="0",reason="deep"} 1`,
		`pebbles_epoch_duration_seconds_sum 8`, `pebbles_epoch_duration_seconds_count 4`, `pebbles_start_time_seconds 1000.5`,
		`pebbles_tasks_waiting{rank="0"} 5`,
	} {
		require.Contains(t, text, "\n"+want+"\n")
	}
	require.NotContains(t, text, `peer="1"`, "a link that holds nothing")
	require.True(t, strings.HasPrefix(text, "\n# HELP pebbles_still_seconds "), "what waits comes first")
}

// TestMetricsOfManyRanks requires that a series of a process is the sum of its ranks, or their greatest value.
func TestMetricsOfManyRanks(t *testing.T) {
	j := newMadeUp(1025, "stalled").Job()
	var sent uint64
	var still float64
	for _, r := range j.Processes[3].Ranks {
		sent += r.Counters.PebblesSent
		still = max(still, r.StillSeconds)
	}
	text := string(metrics(j))
	require.NotContains(t, text, `_total{rank=`)
	require.Contains(t, text, fmt.Sprintf(`pebbles_sent_total{process="3"} %v`+"\n", float64(sent)))
	require.Contains(t, text, fmt.Sprintf(`pebbles_rank_still_seconds{process="3"} %v`+"\n", still))
	require.Contains(t, string(metrics(newMadeUp(1024, "running").Job())), `pebbles_sent_total{rank="1023"}`)
}

// spread returns a job in which every rank is a process with many targets with long names: the largest metrics.
func spread(ranks, targets int) *state.Job {
	j := &state.Job{Ranks: ranks, Started: time.Now(), Taken: time.Now()}
	for r := range ranks {
		rank := newMadeUp(ranks, "stalled").rank(r, 1e7)
		rank.Targets, rank.Status = nil, strings.Repeat("status ", 1000)
		for n := range targets {
			rank.Targets = append(rank.Targets, state.Target{Name: strings.Repeat("\"", 40) + fmt.Sprint(n), Handled: 1 << 60})
		}
		for i := range rank.Links {
			rank.Links[i].Target = strings.Repeat("\\", 1000)
		}
		j.Processes = append(j.Processes, state.Process{Process: r, First: r, Last: r + 1, Bound: 1 << 40, Resident: 1 << 41,
			SilentSeconds: 0.123456789012345, Host: strings.Repeat("h", 1000), Ranks: []state.Rank{rank}})
	}
	return j
}

func TestSizesAreBounded(t *testing.T) {
	const mebi = 1 << 20
	for _, c := range []struct{ ranks, targets int }{
		{256, 300}, {341, 300}, {409, 2}, {1024, 1}, {1024, 8}, {1025, 8}, {2048, 2}, {4096, 1}, {4096, 8},
	} {
		j := spread(c.ranks, c.targets)
		require.Less(t, len(metrics(j)), mebi, "metrics: %+v", c)
		require.Less(t, len(encode(ViewOf(j))), mebi, "view: %+v", c)
	}
	require.Less(t, len(metrics(newMadeUp(4096, "running").Job())), mebi)
	require.Less(t, len(encode(ViewOf(newMadeUp(4096, "running").Job()))), mebi)
}

func TestTargetsBeyondThoseToldOf(t *testing.T) {
	text := string(metrics(spread(1, 300)))
	require.Contains(t, text, fmt.Sprintf(`pebbles_handled_total{rank="0",target="others"} %v`, float64(44)*(1<<60)))
}
