package command

import (
	"bytes"
	"compress/gzip"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/apps/nbody/tipsy"
)

// mistake is an invalid command line, with words that must be in the one line of its error.
type mistake struct {
	line string
	says []string
}

func TestCommandLineMistakes(t *testing.T) { run.Mistakes(t, "pebbles") }

// TestBadInput makes mistakes that only appear when the job runs.
func TestBadInput(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { busy.Close() })
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write([]byte("1 2\n2 3\n"))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	packed.Bytes()[12] ^= 4 // some letter of the text
	flipped := packed.String()
	whole := file("whole.gr", "p tw 4 3\n1 2\n2 3\n3 4\n")
	for name, m := range map[string]mistake{
		"missing file": {"bfs --graph " + filepath.Join(dir, "missing.el"), []string{"missing.el", "no such file"}},
		"truncated":    {"bfs --graph " + file("short.gr", "p tw 4 3\n1 2\n"), []string{"short.gr", "truncated"}},
		"cut gzip": {"bfs --graph " + file("cut.el.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00"),
			[]string{"cut.el.gz", "truncated"}},
		"device":     {"bfs --graph /dev/null", []string{"/dev/null", "is a device", "write it to a file"}},
		"pipe":       {"bfs --graph " + pipe, []string{pipe, "is a pipe", "write it to a file"}},
		"no weights": {"sssp --graph " + whole, []string{"line 2", "the graph has no weights", "random", "one"}},
		"below 0": {"sssp --graph " + file("below.el", "1 2 7\n2 3 -1\n"), []string{"below.el", "line 2", "-1",
			"0 or more"}},
		"heavy": {"sssp --graph " + file("heavy.el", "0 1 1e308\n1 2 1e308\n2 3 0\n"), []string{"weight of 1e+308",
			"path of 4 vertices", "up to 4.494"}},
		"no number": {"sssp --graph " + file("nan.mtx",
			"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 NaN\n"), []string{"nan.mtx", "line 3", "NaN",
			"expected a weight"}},
		"damaged gzip": {"bfs --graph " + file("damaged.el.gz", flipped), []string{"damaged.el.gz", "decompress",
			"damaged"}},
		"no graph": {"bfs --graph " + file("prose.txt", "it was a dark and stormy night\n"),
			[]string{"prose.txt", "line 1", "expected a vertex"}},
		"binary":    {"bfs --graph " + binary, []string{"binary data", "not text"}},
		"directory": {"bfs --graph " + dir, []string{dir, "is a folder"}},
		"range": {"bfs --graph " + file("above.gr", "p tw 4 3\n1 2\n2 9\n3 4\n"),
			[]string{"above.gr", "line 3", "out of range"}},
		"root outside": {"bfs --graph " + whole + " --root 9", []string{"root 9", "1 to 4", "no such root"}},
		"generated":    {"bfs --kronecker 5 --root 32", []string{"root 32", "no such root"}},
		"no population": {"contagion --population " + filepath.Join(dir, "nowhere_"),
			[]string{"nowhere_people.textproto", "no such file"}},
		"no disease": {"contagion --disease nosuch.textproto", []string{"nosuch.textproto", "no such file"}},
		"no such state": {"contagion --disease " + file("bad.textproto",
			`starting_states { starting_state: 7 } disease_states { state_label: "S" }`),
			[]string{"bad.textproto", "starting_states", "there is no state 7"}},
		"no measures": {"contagion --interventions " + file("no.textproto", "triggers { hour {} }"), []string{"no.textproto",
			"unknown field: hour"}},
		"no shops": {"contagion --interventions " + file("shops.textproto", `triggers { day {} }
			location_interventions { compliance: 1 closure { kind: "shop" } }`), []string{`kind "shop"`, `["school"]`}},
		"no contacts":  {"contagion --contacts " + whole, []string{"whole.gr", "line 2", "2 fields"}},
		"no particles": {"nbody --tipsy nosuch.bin", []string{"nosuch.bin", "no such file"}},
		"not TIPSY":    {"nbody --tipsy " + whole, []string{"whole.gr", "TIPSY"}},
		"byte order": {"nbody --tipsy " + file("little.bin", string(make([]byte,
			12))+"\x03\x00\x00\x00"+particles(3)[16:]), []string{"little.bin", "byte order", "convert it"}},
		"cut short": {"nbody --tipsy " + file("short.bin", particles(3)[:100]), []string{"short.bin", "3 particles",
			"cut short"}},
		"no place": {"nbody --tipsy " + file("nan.bin", particles(3)[:36]+"\x7f\xc0\x00\x00"+particles(3)[40:]),
			[]string{"nan.bin", "particle 0", "position is no number"}},
		"one place": {"nbody --ranks 2 --tipsy " + file("one.bin", particles(3)),
			[]string{"all 3 particles are in one place"}},
		"few particles": {"nbody --ranks 4 --tipsy " + file("few.bin", particles(3)), []string{"3 particles on 4 ranks"}},
		"small memory":  {"randomaccess --log2-words 10 --ranks 2 --memory 128", []string{"memory limit", "128"}},
		"small memory2": {"bfs --kronecker 10 --ranks 2 --memory 128", []string{"memory limit", "128"}},
		"small memory3": {"alltoall --ranks 2 --rounds 10 --memory 64", []string{"memory limit", "64"}},
		"small memory4": {"alltoall --ranks 2 --rounds 10 --bytes 65536 --memory 8KiB", []string{"memory limit", "8192"}},
		"small memory5": {"reduce --ranks 2 --items 10 --memory 1KiB", []string{"memory limit", "1024"}},
		"small memory6": {"reduce --ranks 3 --items 10 --cache 100000000 --memory 1MiB",
			[]string{"cache of 100000000 entries", "memory limit", "1048576"}},
		"no stages": {"randomaccess --ranks 5 --log2-words 8 --termination ordered --topology ring",
			[]string{"ordered", "stages", `"ring"`}},
		"no depth": {"pointerchase --ranks 4 --rounds 3 --termination nbx", []string{"nbx", "declared depth", "skr"}},
		"no depth2": {"pointerchase --ranks 4 --rounds 3 --termination pcx-neighbors --explain",
			[]string{"pcx-neighbors", "declared depth", "skr"}},
		"ways change": {"randomaccess --ranks 4 --termination nbx --topology dynamic:ring", []string{"nbx", "may change",
			"skr"}},
		"huge factor": {"epochs --ranks 2 --count 2 --coalesce 99999999999",
			[]string{"coalescing factor of 99999999999 is too large"}},
		"huge factor2": {"epochs --ranks 2 --count 2 --coalesce 9223372036854775807", []string{"is too large"}},
		"huge credits": {"epochs --ranks 2 --count 2 --credits 99999999999",
			[]string{"99999999999 frames of credit are too many"}},
		"huge frames": {"alltoall --ranks 2 --rounds 10 --bytes 64 --coalesce 100000000", []string{"too large",
			"16777216 of these", "lower the coalescing factor"}},
		"many ranks": {"randomaccess --ranks 1000000000", []string{"1000000000 ranks", "need"}},
		"many keys":  {"reduce --ranks 2 --items 10 --keys 1000000000000", []string{"MiB are free", "fewer keys"}},
	} {
		t.Run(name, func(t *testing.T) { wrong(t, m, "--procs", "1") })
		if slices.Contains(toldByTwo, name) {
			t.Run(name+"/procs 2", func(t *testing.T) { wrong(t, m, "--procs", "2") })
		}
	}
	port := busy.Addr().String()
	for name, m := range map[string]mistake{
		"port in use":     {"randomaccess --procs 2 --bind " + port, []string{port, "in use"}},
		"run port in use": {"run -n 2 --bind " + port + " -- " + binary + " version", []string{port, "in use"}},
		"foreign address": {"randomaccess --procs 2 --bind 192.0.2.1", []string{"192.0.2.1"}},
		"every interface": {"randomaccess --procs 2 --bind 0.0.0.0", []string{"0.0.0.0"}},
		"no program":      {"run -n 2 -- nosuchprogram", []string{"nosuchprogram", "not found"}},
	} {
		t.Run(name, func(t *testing.T) { wrong(t, m) })
	}
}

// TestOtherJobsCheckpoints requires that a job refuses the checkpoint of one with other input or parameters.
func TestOtherJobsCheckpoints(t *testing.T) {
	const edges, reads, lines = "1 2\n2 3\n3 1\n", ">a\nACGTACGTACGT\n", "b\na\nc\n"
	const sick = "contagion --people 500 --days 9"
	for name, c := range map[string]struct{ contents, begins, goesOn, says string }{
		"sort":     {lines, "sort IN", "sort IN", `"input" is the argument files of 7 bytes, 1 in number, last changed `},
		"kmers":    {reads, "kmers IN --k 2", "kmers IN --k 2", `"input" is the argument files of 17 bytes`},
		"bfs":      {edges, "bfs --graph IN --root 1 --mode level", "bfs --graph IN --root 1 --mode level", `"input"`},
		"pagerank": {edges, "pagerank --graph IN", "pagerank --graph IN", `"input"`},
		"iterations": {"", "pagerank --kronecker 5 --tolerance 0", "pagerank --kronecker 5 --tolerance 0 --iterations 3",
			"20 iterations, and 3 were asked for"},
		"steps": {"", "nbody --particles 50 --steps 4", "nbody --particles 50 --steps 1",
			"5 steps, the first forces included, and 2 were asked for"},
		"days":            {"", sick, "contagion --people 500 --days 3", "9 days, and 3 were asked for"},
		"outbreak":        {"", sick, sick + " --outbreak 7", `"infected a day"`},
		"outbreak's days": {"", sick, sick + " --outbreak-days 3", `"days of infections"`},
		"visits":          {"", sick, sick + " --visits-per-day 9", `"visits"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "in.el")
			require.NoError(t, os.WriteFile(path, []byte(c.contents), 0o600))
			line := func(text string) []string {
				return append(strings.Fields(strings.ReplaceAll(text, "IN", path)), "--checkpoint", filepath.Join(dir, "saved"),
					"--ranks", "2")
			}
			succeeds(t, append(line(c.begins), "--checkpoint-every", "1ns")...)
			require.NoError(t, os.WriteFile(path, []byte(c.contents+"\n"), 0o600))
			require.Contains(t, fails(t, 1, line(c.goesOn)).Stderr, c.says)
		})
	}
}

// toldByTwo are mistakes that a job of two processes also makes: one for each place that detects them.
var toldByTwo = []string{
	"missing file", "root outside", "no such state", "one place", "small memory", "no stages", "no depth2",
	"huge factor", "many ranks",
}

// wrong runs a command line that must end with status 1 and one line. Processes that fail independently at the same
// time each report it, also in a logged line, which escapes quotation marks.
func wrong(t *testing.T, m mistake, flags ...string) {
	t.Parallel()
	r := fails(t, 1, with(strings.Fields(m.line), flags...))
	require.NotEmpty(t, r.Stderr)
	if !slices.Contains(flags, "2") {
		require.Equal(t, 1, strings.Count(r.Stderr, "\n"), "one line: %s", r.Stderr)
	}
	for line := range strings.Lines(r.Stderr) {
		for _, words := range m.says {
			require.Contains(t, strings.ReplaceAll(line, `\"`, `"`), words)
		}
	}
}

// particles returns a TIPSY file of particles at one point.
func particles(n int) string {
	var b bytes.Buffer
	all := make([]gravity.Particle, n)
	for i := range all {
		all[i] = gravity.Particle{Mass: 1, Pos: gravity.Vector{1, 2, 3}}
	}
	if err := tipsy.Write(&b, 0, all, make([]float64, n)); err != nil {
		panic(err)
	}
	return b.String()
}
