package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAlternation requires that the cases of a group take turns, every second time backwards, and that the groups
// follow each other.
func TestAlternation(t *testing.T) {
	diary := filepath.Join(t.TempDir(), "diary")
	writes := func(name string) Case {
		return script(t, name, fmt.Sprintf(`echo %s >>%s; n=$(wc -l <%s); echo "{\"errors\": 0, \"rate\": $n}"`, name,
			diary, diary))
	}
	groups := []Group{{Name: "one", Cases: []Case{writes("a"), writes("b"), writes("c")}},
		{Name: "two", Cases: []Case{writes("d")}}}
	var told []string
	begun := time.Now()
	results, err := Alternate(t.Context(), groups, Options{Repeats: 3, WarmUp: 1, Probe: near, Command: "x",
		Progress: func(s Step) {
			told = append(told, fmt.Sprintf("%s%d %d/%d", s.Case.Name, s.Repeat, s.Done, s.Total))
		}})
	require.NoError(t, err)
	text, err := os.ReadFile(diary)
	require.NoError(t, err)
	require.Equal(t, "c b a a b c c b a a b c d d d d", strings.Join(strings.Fields(string(text)), " "))
	require.Len(t, told, 16)
	require.Equal(t, []string{"c0 1/16", "b0 2/16", "a0 3/16", "a1 4/16"}, told[:4])
	require.Equal(t, "d3 16/16", told[15])
	require.Equal(t, []float64{4, 9, 10}, results.Find("a").Values())
	require.Equal(t, []float64{14, 15, 16}, results.Find("d").Values())
	require.Equal(t, groups[0].Cases[0].Args[0], results.Find("a").Line,
		"a case without a line is told by its arguments")
	require.Equal(t, 3, results.Repeats)
	require.Equal(t, 1, results.WarmUp)
	require.Equal(t, Near, results.Find("a").State())
	require.WithinRange(t, results.Date, begun.Truncate(time.Second), time.Now())
}

// TestChoices requires that a case is measured with the fastest of its choices, whether more or less is better, that
// all are recorded and shown, and that the first is taken when none is to be tried.
func TestChoices(t *testing.T) {
	c := script(t, "a", `[ "$1" = --size ] && echo "{\"errors\": 0, \"rate\": $((10 - ($2 - 3) * ($2 - 3)))}"`)
	c.Choices = []string{"--size 2", "--size 3", "--size 5"}
	slow := c
	slow.Name, slow.Lower = "b", true
	groups := []Group{{Name: "one", Cases: []Case{c, slow}}}
	results, err := Alternate(t.Context(), groups, Options{Repeats: 2, Tries: 3, Probe: near})
	require.NoError(t, err)
	tried := []Tried{{"--size 2", 9}, {"--size 3", 10}, {"--size 5", 6}}
	require.Equal(t, []float64{10, 10}, results.Find("a").Values())
	require.Equal(t, []float64{6, 6}, results.Find("b").Values())
	require.Equal(t, tried, results.Find("a").Tried)
	require.Equal(t, c.Args[0]+" --size 3", results.Find("a").Line)
	require.Contains(t, results.Markdown(nil), "- Tried for b: `--size 2` 9, `--size 3` 10, `--size 5` 6.")

	results, err = Alternate(t.Context(), groups, Options{Repeats: 1, Probe: near})
	require.NoError(t, err)
	require.Equal(t, []float64{9}, results.Find("b").Values())
	require.Empty(t, results.Find("b").Tried)
}

// TestBadRuns requires that each failure of a run ends the measurement, and is reported.
func TestBadRuns(t *testing.T) {
	for text, why := range map[string]string{
		`echo lost a peer >&2; exit 3`:            "exit status 3; it said:\nlost a peer",
		`echo '{"errors": 0, "rate": 1}'; exit 1`: "exit status 1",
		`kill -9 $$`:                                     "signal: killed",
		`echo '{"errors": 2, "rate": 1}'`:                `its work is wrong: field "errors" is 2`,
		`echo '{"rate": 1}'`:                             `field "errors" is <nil>, not a number`,
		`echo '{"errors": "0", "rate": 1}'`:              `field "errors" is 0, not a number`,
		`echo '{"errors": 0}'`:                           `field "rate" is <nil>, not a number`,
		`echo '{"errors": 0, "rate": 0}'`:                "nothing was measured",
		`echo '{"errors": 0, "rate": -1}'`:               "nothing was measured",
		`echo no JSON`:                                   `prints no JSON object, but "no JSON\n"`,
		`echo null`:                                      "prints no JSON object",
		`true`:                                           `prints no JSON object, but ""`,
		`echo '[1]'`:                                     "prints no JSON object",
		`echo '{"errors": 0, "rate": 1'`:                 "prints no JSON object",
		`echo '{"errors": 0, "rate": 1} {}'`:             "more than one JSON object",
		`head -c 9000 /dev/zero | tr '\0' x >&2; exit 1`: "said:\n…xxx",
	} {
		c := script(t, "bad", text)
		_, err := once(t, c)
		require.ErrorContains(t, err, why, text)
		require.ErrorContains(t, err, "bad: "+c.Args[0], "the case and its command are named")
		require.Less(t, len(err.Error()), 3000)
	}
	_, err := once(t, Case{Name: "gone", Args: []string{"/no/such/program"}, Field: "rate"})
	require.ErrorContains(t, err, "no such file")
	_, err = Alternate(t.Context(), []Group{{Name: "G", Cases: []Case{prints(t, "a", "{}")}}}, Options{})
	require.ErrorContains(t, err, "give at least one repeat")
	_, err = Alternate(t.Context(), nil, Options{Repeats: 1})
	require.ErrorContains(t, err, "nothing to measure")
}

// TestCompleteGroups requires that groups that were complete before an error are returned beside it.
func TestCompleteGroups(t *testing.T) {
	good, bad := prints(t, "good", `{"errors": 0, "rate": 1}`), script(t, "bad", "exit 3")
	results, err := Alternate(t.Context(), []Group{{Name: "one", Cases: []Case{good}}, {Name: "two", Cases: []Case{bad}},
		{Name: "three", Cases: []Case{prints(t, "late", `{"errors": 0, "rate": 1}`)}}}, Options{Repeats: 2, Probe: near})
	require.ErrorContains(t, err, "exit status 3")
	require.Len(t, results.Groups, 1)
	require.Equal(t, []float64{1, 1}, results.Find("good").Values())
}

// numberIn returns the number that a script has written to a file, or "" if the script was ended earlier.
func numberIn(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return strings.TrimSpace(string(text))
}

// gone waits for the end of the process whose number is in a file.
func gone(t *testing.T, file string) {
	t.Helper()
	require.Eventually(t, func() bool { return !alive(t, file) }, time.Minute, time.Millisecond)
}

// alive reports whether the process whose number is in a file still runs.
func alive(t *testing.T, file string) bool {
	text := numberIn(t, file)
	var pid int
	_, err := fmt.Sscan(text, &pid)
	require.NoError(t, err)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if os.IsNotExist(err) && syscall.Kill(pid, 0) != nil {
		return false
	}
	return !strings.Contains(string(status), ") Z ") // a zombie, which no process here can reap
}

// TestHanging requires that a hanging command is ended with all its processes, even if it ignores signals.
func TestHanging(t *testing.T) {
	for name, text := range map[string]string{
		"with a child": `sleep 1000 & echo $! >%s; wait`,
		"itself":       `echo $$ >%s; exec sleep 1000`,
		"deaf":         `trap "" TERM; echo $$ >%s; while :; do sleep 1; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pid := filepath.Join(t.TempDir(), "pid")
			for limit := time.Second / 8; numberIn(t, pid) == ""; limit *= 2 { // until it has the time to start
				_, err := Alternate(t.Context(), []Group{{Name: "G",
					Cases: []Case{script(t, name, fmt.Sprintf(text, pid))}}},
					Options{Repeats: 1, Probe: near, Limit: limit})
				require.ErrorContains(t, err, fmt.Sprintf("not done after the limit of %v, and ended", limit))
			}
			gone(t, pid)
		})
	}
}

// TestLeavingAProcessBehind requires that a command that ends but leaves behind a process that holds its output does
// not block the measurement.
func TestLeavingAProcessBehind(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	_, err := once(t, script(t, "leaver", fmt.Sprintf(`sleep 1000 & echo $! >%s; echo '{"errors": 0, "rate": 1}'`,
		pid)))
	require.ErrorContains(t, err, "left a process that holds its output")
	gone(t, pid)
}

// TestInterrupted requires that the end of the context ends the command, and that its cause is returned.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	pid := filepath.Join(t.TempDir(), "pid")
	c := script(t, "long", fmt.Sprintf("echo $$ >%s; exec sleep 1000", pid))
	go func() {
		for {
			if text, err := os.ReadFile(pid); err == nil && len(text) > 0 {
				cancel(why)
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := Alternate(ctx, []Group{{Name: "G", Cases: []Case{c}}}, Options{Repeats: 1, Probe: near})
	require.ErrorIs(t, err, why)
	require.False(t, alive(t, pid))
}

// counting returns a case whose object changes from run to run: %d is the number of the run.
func counting(t *testing.T, name, object string) Case {
	file := filepath.Join(t.TempDir(), "runs")
	return script(t, name, fmt.Sprintf("echo >>%s; n=$(wc -l <%s)\ncat <<END\n%s\nEND", file, file,
		strings.ReplaceAll(object, "%d", "$n")))
}

// TestAgreement requires agreement of checksums, of exact fields, and of the checksums of the same work, in every run.
func TestAgreement(t *testing.T) {
	run := func(cases ...Case) (Results, error) {
		return Alternate(t.Context(), []Group{{Name: "G", Cases: cases}}, Options{Repeats: 2, WarmUp: 1, Probe: near})
	}
	r, err := run(counting(t, "a",
		`{"errors": 0, "rate": 1, "checksum": "c", "counters": {"sent": 18446744073709551615, "late": %d, "no": "word"}}`))
	require.NoError(t, err)
	require.Equal(t, "c", r.Find("a").Sum)
	require.Equal(t, "18446744073709551615", string(r.Find("a").Samples[0].Counters["sent"]),
		"counters are exact beyond 2^53")
	require.Len(t, r.Find("a").Samples[0].Counters, 2)

	_, err = run(counting(t, "a", `{"errors": 0, "rate": 1, "checksum": %d}`))
	require.ErrorContains(t, err, "checksum 3 differs from 2")

	exact := func(object string) Case {
		c := counting(t, "a", object)
		c.Exact = []string{"items", "counters.sent"}
		return c
	}
	r, err = run(exact(`{"errors": 0, "rate": %d, "items": 5, "counters": {"sent": 7, "late": %d}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"items": "5", "counters.sent": "7"}, r.Find("a").Exactly)
	_, err = run(exact(`{"errors": 0, "rate": 1, "items": 5, "counters": {"sent": %d}}`))
	require.ErrorContains(t, err, "what must be the same in every run is not")
	_, err = run(exact(`{"errors": 0, "rate": 1, "items": 5}`))
	require.ErrorContains(t, err, `field "counters.sent", which is compared, is missing`)

	work := func(name, object string) Case {
		c := counting(t, name, object)
		c.Work = "w"
		return c
	}
	_, err = run(work("a", `{"errors": 0, "rate": 1, "checksum": "x"}`),
		work("b", `{"errors": 0, "rate": 1, "checksum": "x"}`))
	require.NoError(t, err)
	_, err = run(work("a", `{"errors": 0, "rate": 1, "checksum": "x"}`),
		work("b", `{"errors": 0, "rate": 1, "checksum": "y"}`))
	require.ErrorContains(t, err, "a and b do the same work, but their checksums are x and y")
	_, err = run(work("a", `{"errors": 0, "rate": 1}`))
	require.ErrorContains(t, err, `field "checksum" of the work "w" is missing`)
}

// TestPerCPU requires amounts per processor time, which a waiting program hardly uses.
func TestPerCPU(t *testing.T) {
	work := func(name, text string) Case {
		c := script(t, name, text+`; echo '{"errors": 0, "rate": 1}'`)
		c.PerCPU, c.Unit = true, "a CPU second"
		return c
	}
	r, err := once(t, work("works", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"), work("waits", "sleep 0.3"))
	require.NoError(t, err)
	for _, name := range []string{"works", "waits"} {
		s := r.Find(name).Samples[0]
		require.InEpsilon(t, 1/s.CPU, s.Value, 1e-9)
		require.Positive(t, s.CPU)
	}
	require.Greater(t, r.Find("waits").Samples[0].Seconds, 0.3)
	require.Less(t, r.Find("waits").Samples[0].CPU, 0.3, "waiting is no work")
}

// TestEnvironmentAndFields requires that a case's environment is added to ours, and that its field is scaled.
func TestEnvironmentAndFields(t *testing.T) {
	c := script(t, "a", `echo "{\"errors\": 0, \"inside\": {\"rate\": $RATE}}"`)
	c.Env, c.Field, c.Scale = []string{"RATE=25"}, "inside.rate", 0.1
	r, err := once(t, c)
	require.NoError(t, err)
	require.InDelta(t, 2.5, r.Find("a").Summary().Median, 1e-12)
	require.Nil(t, r.Find("b"))
	c.Field = "inside.rate.deeper"
	_, err = once(t, c)
	require.ErrorContains(t, err, `field "inside.rate.deeper" is <nil>`)
}
