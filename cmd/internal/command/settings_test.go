package command

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/cmd/internal/commandtest"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/tune"
)

// configured gives the test its own folder for the files that commands save.
func configured(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	t.Setenv("XDG_CONFIG_HOME", folder)
}

// TestAuto runs every application with all settings auto, alone and simulated, and requires the chosen ones.
func TestAuto(t *testing.T) {
	configured(t)
	for _, app := range [][]string{
		{"randomaccess", "--log2-words", "10"}, {"permutation", "--log2-elements", "10"}, {"pointerchase"},
		{"bfs", "--kronecker", "8", "--roots", "2"}, {"alltoall", "--rounds", "1000"}, {"reduce", "--items", "5000"},
		{"ping", "--messages", "20000"}, {"uts", "--in-memory", "--depth", "5"},
	} {
		for _, before := range [][]string{nil, {"sim"}} {
			line := with(append(before, app...), "--ranks", "4", "--topology", "auto", "--coalesce", "auto", "--cache", "auto")
			r := reported(t, line...)
			require.NotNil(t, r.Tuned, line)
			require.NotEmpty(t, r.Tuned.Reason, line)
			require.Equal(t, "direct", r.Tuned.Setting.Topology, line)
		}
	}
	little := []string{"randomaccess", "--log2-words", "10", "--ranks", "2"}
	require.Contains(t, succeeds(t, with(little, "--coalesce", "auto")...), "tuned")
	require.Nil(t, reported(t, little...).Tuned)
}

// TestAutoBeginsWithTheProfile requires that auto begins with the setting that pebbles tune has saved for this job.
func TestAutoBeginsWithTheProfile(t *testing.T) {
	configured(t)
	job := []string{"randomaccess", "--ranks", "2", "--log2-words", "8"}
	succeeds(t, append([]string{"tune", "--quiet", "--runs", "2"}, job...)...)
	place, err := profilePlace("randomaccess")
	require.NoError(t, err)
	text, err := os.ReadFile(place)
	require.NoError(t, err)
	p, err := tune.DecodeProfile(text)
	require.NoError(t, err)
	keep := func(factor int, place string) {
		p.Setting.Coalesce = factor
		text, err := p.Encode()
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(place, text, 0o600))
	}
	begun := func(more ...string) int {
		return reported(t, with(with(job, "--coalesce", "auto"), more...)...).Tuned.Setting.Coalesce
	}
	keep(333, place)
	require.Equal(t, 333, begun())
	require.Contains(t, reported(t, with(job, "--coalesce", "auto")...).Tuned.Reason, "known from runs before this one")
	require.Equal(t, 1024, begun("--updates-per-word", "8"), "another job")
	other := filepath.Join(t.TempDir(), "other.json")
	keep(444, other)
	require.Equal(t, 444, begun("--profile", other))
}

// TestExplain asks every application for its plan. Nothing is run, so there is no result.
func TestExplain(t *testing.T) {
	for app, line := range small {
		places := map[string]string{
			"--ranks 1": "1 rank in 1 process, mem transport\n", "--ranks 4": "4 ranks in 1 process, mem transport\n",
		}
		if app == "randomaccess" || app == "components" {
			places["--procs 2 --ranks 5"] = "5 ranks in 2 processes, shm transport\n"
		}
		for flags, begins := range places {
			t.Run(app+" "+flags, func(t *testing.T) {
				explain := with(with(line, "--explain"), strings.Fields(flags)...)
				text := succeeds(t, explain...)
				require.True(t, strings.HasPrefix(text, begins), text)
				require.Regexp(t, `(?m)^an epoch ends by \w+ \(`, text)
				require.Regexp(t, `(?m)^target ".+": direct topology, `, text)
				require.Regexp(t, `(?m)^memory of a rank: \d+ bytes of full frames`, text)
				require.NotContains(t, text, "verified")
				require.NotRegexp(t, `\b1 (ranks|processes|hops|messages|buffers|neighbours|credits)\b`, text)

				stdout := succeeds(t, with(explain, "--json")...)
				require.NotContains(t, commandtest.Object(t, stdout), "errors")
				var e pebble.Explanation
				require.NoError(t, json.Unmarshal([]byte(stdout), &e))
				depth := depths[app]
				if app == "components" {
					depth = 1 // of its first epoch, an exchange, which is explained
				}
				require.Equal(t, picked(t, "direct", e.Ranks, depth), e.Detector)
				require.Equal(t, depth, e.Depth)
				require.NotEmpty(t, e.Targets)
				e.Limit = 0 // depends on free memory
				require.Equal(t, limitNumber.ReplaceAllString(text, "to 0;"), e.String(), "both forms say the same")
			})
		}
	}
}

var limitNumber = regexp.MustCompile(`to \d+;`)

// TestExplainFlags requires that explanations follow the flags of buffers and links.
func TestExplainFlags(t *testing.T) {
	line := "randomaccess --log2-words 10 --explain --json --procs 2 --ranks 8 --topology mesh:2x4 --credits 3 " +
		"--coalesce 100 --memory 64MiB --termination skr"
	var e pebble.Explanation
	require.NoError(t, json.Unmarshal([]byte(succeeds(t, strings.Fields(line)...)), &e))
	require.Equal(t, "mesh:2x4", e.Targets[0].Topology)
	require.Equal(t, 4, e.Targets[0].Neighbors)
	require.Equal(t, 2, e.Targets[0].Hops)
	require.Equal(t, 3, e.Targets[0].Credits)
	require.EqualValues(t, 64<<20, e.Limit)
	require.Equal(t, "skr", e.Detector)
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "65536": 65536, "64KiB": 64 << 10, "64kib": 64 << 10, "64k": 64 << 10, "64kB": 64000, "64 MiB": 64 << 20,
		"1.5GiB": 3 << 29, "2G": 2 << 30, "1T": 1 << 40, "1TB": 1e12, "0.5KiB": 512, "7B": 7,
	} {
		var s size
		require.NoError(t, s.Set(text), text)
		require.EqualValues(t, want, s, text)
	}
	for _, text := range []string{"", "0", "-1", "MiB", "1XiB", "1e30", "NaN", "Inf", "1 2", "0.1", "9999999999T",
		"0x10"} {
		var s size
		require.Error(t, s.Set(text), text)
	}
}

func TestCount(t *testing.T) {
	n := 0
	c := Count(&n, 1, "some")
	require.Equal(t, "some", c.String())
	require.NoError(t, c.Set("12"))
	require.Equal(t, 12, n)
	require.Equal(t, "12", c.String())
	for _, text := range []string{"0", "-1", "x", "", "1.5", "99999999999999999999"} {
		require.Error(t, c.Set(text), text)
	}
}

func TestWait(t *testing.T) {
	var w wait
	require.NoError(t, w.Set("500us"))
	require.EqualValues(t, 500_000, w)
	require.NoError(t, w.Set("never"))
	require.Negative(t, int64(w))
	require.Equal(t, "never", w.String())
	for _, text := range []string{"", "0", "0s", "-1ms", "5", "soon"} {
		require.Error(t, w.Set(text), text)
	}
}

func TestTexts(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567",
		1<<64 - 1: "18,446,744,073,709,551,615"} {
		require.Equal(t, want, Grouped(n))
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 64 << 20: "64 MiB", 1 << 52: "4 PiB"} {
		require.Equal(t, want, BytesText(n))
	}
}

func TestMarked(t *testing.T) {
	var out bytes.Buffer
	m := &prefixWriter{to: &out}
	write := func(text string) {
		n, err := m.Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, len(text), n)
	}
	write("before\n")
	m.setPlace(netio.PlaceOf(6, 3, 0))
	write("first\n")
	m.setPlace(netio.PlaceOf(6, 3, 1))
	write("one\ntwo\n")
	m.setPlace(netio.PlaceOf(3, 3, 2))
	write("alone\n")
	require.Equal(t, "before\nfirst\n[2-3] one\n[2-3] two\n[2] alone\n", out.String())
}

func TestDiary(t *testing.T) {
	for _, c := range []struct {
		logFlags
		want string
	}{
		{logFlags{}, "level=WARN msg=odd\n"},
		{logFlags{quiet: true}, ""},
		{logFlags{verbose: true}, "level=DEBUG msg=detail\nlevel=WARN msg=odd\n"},
		{logFlags{format: Word{Text: "json"}}, `"level":"WARN","msg":"odd"}` + "\n"},
	} {
		var out bytes.Buffer
		l := c.logger(&out)
		l.Debug("detail")
		l.Warn("odd")
		got := beginnings.ReplaceAllString(out.String(), "")
		require.Equal(t, c.want, got)
	}
}

// beginnings match the times at the begin of log lines.
var beginnings = regexp.MustCompile(`(?m)^(time=\S+ |\{"time":"[^"]*",)`)
