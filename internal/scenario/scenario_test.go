package scenario_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scenario"
	"github.com/activepebbles/pebbles/netio"
)

// verbs are the verbs of a test that counts.
func verbs(l *scenario.Log) scenario.Verbs {
	n := 0
	return scenario.Verbs{
		"add": func(c *scenario.Command) {
			silently := c.Has("silently")
			n += c.Number("number") * c.Int("times", 1)
			for c.More() {
				n += c.Number("number")
			}
			if !silently {
				l.Say("%s", scenario.Count(n, "point"))
			}
		},
		"pair": func(c *scenario.Command) {
			a, b := c.Pair("link", "->")
			l.Say("%d and %d, %v, %v, %s", a, b, c.Ints("all"), c.Time("after"), c.Text("name", "none"))
		},
	}
}

func play(source string) (string, error) {
	l := &scenario.Log{}
	return scenario.Play("a.txt", source, verbs(l), l)
}

func TestPlay(t *testing.T) {
	told, err := play("# Sums.\n\nadd 1 2\n\n# More.\nadd 3 times=2\npair 4->5 all=1,2 after=3ms\n" +
		"----\nwhat it was\nbefore\n")
	require.NoError(t, err)
	want := "# Sums.\n\nadd 1 2\n----\n3 points\n\n# More.\nadd 3 times=2\npair 4->5 all=1,2 after=3ms\n----\n" +
		"9 points\n4 and 5, [1 2], 3ms, none\n"
	require.Equal(t, want, told)
	again, err := play(told)
	require.NoError(t, err)
	require.Equal(t, told, again, "a file that is as it should be stays")
}

// The error of a command that can't be run has its file and line.
func TestOddCommands(t *testing.T) {
	for command, why := range map[string]string{
		"sum 1":                     `unknown command "sum": there are add, pair`,
		"add":                       "add: say which number",
		"add one":                   `add: number is a number, "one" is none`,
		"add 1 quickly":             `add: number is a number, "quickly" is none`,
		"add 1 often=2":             "add: it takes no often=",
		"add 1 times=x":             `add: times is a number, "x" is none`,
		"pair 1":                    `pair: link is a number, "" is none`,
		"pair 1->2 all=1 more":      `pair: it takes no word "more"`,
		"pair 1->2 all=1 after=now": `pair: after: time: invalid duration "now"`,
	} {
		_, err := play("# Odd.\n\nadd 1\n----\n1 point\n\n" + command + "\n----\nok\n")
		require.EqualError(t, err, "a.txt:7: "+why)
	}
	_, err := play("add 1\n----\n1 point\n")
	require.EqualError(t, err, "a.txt:1: begin with what the scenario shows, behind #")
	require.PanicsWithValue(t, "broken", func() {
		breaks := scenario.Verbs{"break": func(*scenario.Command) { panic("broken") }}
		_, _ = scenario.Play("a.txt", "# Panics.\nbreak\n", breaks, nil)
	}, "a panic that refuses nothing goes on")
}

// The files of testdata have the output of their commands.
func TestRun(t *testing.T) {
	scenario.Run(t, func(_ *testing.T, l *scenario.Log) scenario.Verbs { return verbs(l) })
}

// A port passes calls to its scenario, and returns the frames that the scenario provides.
func TestPort(t *testing.T) {
	var told []string
	now := time.Second
	p := &scenario.Port{
		Lends: netio.NewPool(nil), Clock: &now,
		Sent: func(f *netio.Frame) { told = append(told, "sent"); f.Release() },
		Rests: func(parks bool, most time.Duration) {
			told = append(told, map[bool]string{true: "parks " + most.String(), false: "pauses"}[parks])
		},
		Woken: func() { told = append(told, "woken") },
	}
	p.Send(p.Pool().Get(1))
	p.Fetch()
	p.Pause()
	p.Wait(time.Minute)
	p.Wake()
	require.Equal(t, "sent, pauses, parks 1m0s, woken", strings.Join(told, ", "))
	require.Nil(t, p.Recv())
	f := p.Pool().Get(1)
	p.Arrived.Push(f)
	require.Same(t, f, p.Recv())
	require.Equal(t, time.Second, p.Now())
	require.Nil(t, p.OneSided())
}
