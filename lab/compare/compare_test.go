package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/scripttest"
	"github.com/activepebbles/pebbles/lab"
)

// install puts shell scripts of these names into PATH, with only the tools that scripts need, and returns their folder.
func install(t *testing.T, scripts map[string]string) string {
	if _, err := os.Stat("/dev/shm"); err != nil {
		t.Skip("peers are for Linux: there is no /dev/shm")
	}
	folder := t.TempDir()
	for name, script := range scripts {
		scripttest.Write(t, filepath.Join(folder, name), script)
	}
	for _, tool := range []string{"cat", "sleep", "touch"} {
		for _, at := range []string{"/bin/", "/usr/bin/"} {
			if _, err := os.Stat(at + tool); err == nil {
				require.NoError(t, os.Symlink(at+tool, filepath.Join(folder, tool)))
				break
			}
		}
	}
	t.Setenv("PATH", folder)
	t.Setenv("TMPDIR", t.TempDir())
	before, err := os.ReadDir("/dev/shm")
	require.NoError(t, err)
	t.Cleanup(func() { // nothing is left, whatever happened
		after, err := os.ReadDir("/dev/shm")
		require.NoError(t, err)
		for _, entry := range after {
			if strings.HasPrefix(entry.Name(), "mpi") {
				require.Contains(t, fmt.Sprint(before), entry.Name())
			}
		}
		left, err := os.ReadDir(os.Getenv("TMPDIR"))
		require.NoError(t, err)
		require.Empty(t, left)
	})
	return folder
}

// version is the beginning of Open MPI's mpirun.
const version = `if [ "$1" = --version ]; then echo 'mpirun (Open MPI) 4.1.4'; exit; fi
`

// runsLast is an mpirun that only runs the last argument.
const runsLast = version + `for last; do :; done
exec "$last"
`

// says returns a program that prints HPCC's output to stdout.
func says(text string) string { return "cat <<'END'\n" + text + "END\n" }

func run(t *testing.T, args ...string) (stdout string, err error) {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	var out, progress bytes.Buffer
	err = call(ctx, args, &out, &progress)
	return out.String(), err
}

// call calls compare, or one of its parts.
func call(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		if own, ok := parts[args[0]]; ok {
			return own().Call(ctx, args[1:], stdout, stderr)
		}
	}
	return compareProgram().Call(ctx, args, stdout, stderr)
}

func TestNoMPI(t *testing.T) {
	fails := func(says string, scripts map[string]string, args ...string) {
		install(t, scripts)
		_, err := run(t, args...)
		require.ErrorContains(t, err, says)
	}
	fails("there is no mpirun: run `make -C lab tools` as root", nil)
	fails(`not Open MPI's, but "HYDRA build details:"`, map[string]string{"mpirun": "echo HYDRA build details:"})
	fails("mpirun --version: exit status 3", map[string]string{"mpirun": "exit 3"})
	fails("there is no hpcc: run `make -C lab tools` as root", map[string]string{"mpirun": runsLast}, "hpcc")
}

func TestMistakes(t *testing.T) {
	install(t, map[string]string{"mpirun": runsLast})
	for line, why := range map[string]string{
		"-nonsense":                     "flag provided but not defined",
		"more":                          `"more": no such argument`,
		"-repeats 0":                    "give 1 or more",
		"-hpcc-source web":              "give debian or none",
		"-page x -small":                "leave out -small and -only",
		"-page x -only y":               "leave out -small and -only",
		"-again x":                      "-again: give -out",
		"-again x -out y -only z":       "neither -small nor -only",
		"hpcc -log2-words 0":            "give 1 to 28",
		"hpcc -log2-words 29":           "give 1 to 28",
		"hpcc -medium pigeon":           "give shm or tcp",
		"hpcc -log2-words 12 -nonsense": "flag provided but not defined",
	} {
		_, err := run(t, strings.Fields(line)...)
		require.ErrorContains(t, err, why, line)
		require.ErrorAs(t, err, new(lab.UsageError), line)
	}
	_, err := run(t, "-ranks", "1")
	require.ErrorContains(t, err, "give 2 or more")
	_, err = run(t, "-programs", t.TempDir())
	require.ErrorContains(t, err, "run `make -C lab programs`")
}

// A run of the program made from HPCC's source.
func TestAlone(t *testing.T) {
	text := section(generated)
	folder := install(t, map[string]string{
		"mpirun": version + "while [ \"${1#/}\" = \"$1\" ] || [ -d \"$1\" ]; do shift; done\nexec \"$@\"\n",
		"well":   `[ "$1" = 20 ] || exit 9` + "\n" + says(text),
		"loses":  says(strings.Replace(text, "Found 0 ", "Found 824 ", 1)),
		"wrong": says(strings.Replace(text, "Found 0 errors in 2097152 locations (passed)",
			"Found 30000 errors in 2097152 locations (failed)", 1)),
		"other":   says(strings.Replace(text, "2^20", "2^19", 1)),
		"silent":  "",
		"failing": "echo no memory >&2\nexit 4\n",
	})
	alone := func(program string) (r report, err error) {
		out, err := run(t, "hpcc", "-log2-words", "20", "-program", filepath.Join(folder, program))
		if out != "" {
			require.NoError(t, json.Unmarshal([]byte(out), &r))
		}
		return r, err
	}
	r, err := alone("well")
	require.NoError(t, err)
	require.EqualValues(t, 1<<23, r.UpdatesPerSecond)
	r, err = alone("loses")
	require.NoError(t, err)
	require.EqualValues(t, 824, r.WrongWords)
	require.Zero(t, r.Errors)
	r, err = alone("wrong")
	require.ErrorContains(t, err, "30000 of 2097152 words wrong")
	require.EqualValues(t, 30000, r.Errors)
	_, err = alone("other")
	require.ErrorContains(t, err, "2 ranks of 2^19 words, not 2 of 2^20")
	_, err = alone("silent")
	require.ErrorContains(t, err, "HPCC has not printed")
	_, err = alone("failing")
	require.ErrorContains(t, err, "exit status 4")
	require.ErrorContains(t, err, "no memory")
}

// Debian's hpcc is stopped as soon as the section is complete: its next benchmarks would take too long.
func TestDebian(t *testing.T) {
	debian := func(script string) (out string, err error) {
		install(t, map[string]string{"mpirun": runsLast, "hpcc": script})
		return run(t, "hpcc", "-log2-words", "20")
	}
	writes := func(text string) string { return "(" + says(text) + ") >hpccoutf.txt\n" }
	out, err := debian("cat hpccinf.txt >/dev/null || exit 5\n" + writes(generated) + "exec sleep 300\n")
	require.NoError(t, err)
	require.Contains(t, out, `"updates_per_second":8388608}`)
	_, err = debian(writes(generated))
	require.NoError(t, err, "has ended by itself")
	early, _, _ := strings.Cut(generated, "Verification:")
	_, err = debian(writes(early) + "echo out of memory >&2\nexit 1\n")
	require.ErrorContains(t, err, "hpcc ended (exit status 1) before its MPIRandomAccess")
	require.ErrorContains(t, err, "out of memory")
	_, err = debian("exit 0\n")
	require.ErrorContains(t, err, "hpcc ended (exit status 0)")
}

// An interrupt of this program also ends hpcc.
func TestDebianInterrupted(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	install(t, map[string]string{"mpirun": runsLast, "hpcc": "echo $$ >" + started + "\nexec sleep 300\n"})
	ctx, interrupt := context.WithCancelCause(context.Background())
	process := make(chan string, 1) // the number of hpcc's
	go func() {
		defer interrupt(syscall.EINTR)
		for give := time.Now().Add(time.Minute); time.Now().Before(give); time.Sleep(time.Millisecond) {
			if text, err := os.ReadFile(started); err == nil && strings.HasSuffix(string(text), "\n") {
				process <- strings.TrimSpace(string(text))
				return
			}
		}
	}()
	err := call(ctx, []string{"hpcc", "-log2-words", "20"}, &bytes.Buffer{}, &bytes.Buffer{})
	require.ErrorIs(t, err, syscall.EINTR)
	require.Len(t, process, 1, "hpcc began")
	hpcc, err := strconv.Atoi(<-process)
	require.NoError(t, err)
	require.ErrorIs(t, syscall.Kill(hpcc, 0), syscall.ESRCH, "hpcc has ended")
}

// The size of HPCC's table is that of HPL's matrix, rounded down to a power of two.
func TestInput(t *testing.T) {
	for _, ranks := range []int{2, 4, 16} {
		for log2 := 1; log2 <= hpccLog2Most; log2++ {
			lines := strings.Split(hpccInput(ranks, log2), "\n")
			var rows float64
			_, err := fmt.Sscan(lines[5], &rows)
			require.NoError(t, err)
			words := math.Exp2(math.Floor(math.Log2(rows*rows/float64(ranks)) + math.Log2(float64(ranks)) + 1e-12))
			if least := math.Ldexp(float64(ranks), log2); least >= 64 {
				require.Equal(t, least, words, "%d ranks, 2^%d words", ranks, log2)
			}
			require.Equal(t, strconv.Itoa(ranks), strings.Fields(lines[11])[0])
			require.Contains(t, lines[31], "separator", "HPCC skips line 32")
		}
	}
}

func someSuite(t *testing.T) suite {
	return suite{
		programs: "/programs", self: "/programs/compare", mpi: mpi{2, "/files", "/segments"}, size: full, sources: true,
		shm:   true,
		roots: map[int][]string{18: {"3", "5"}, 20: {"7"}},
	}
}

func TestGroups(t *testing.T) {
	s := someSuite(t)
	groups := s.groups()
	require.NoError(t, lab.Check(groups))
	for _, g := range groups {
		own := g.Cases[0]
		require.Contains(t, own.Name, "Active Pebbles", "our command comes first")
		require.NotEmpty(t, own.Against, own.Name)
		for _, c := range g.Cases {
			require.NotContains(t, c.Line, "/", "a line is for people: %s", c.Line)
			require.NotContains(t, c.Line, "%!")
			if c.Args[0] == "mpirun" {
				require.Contains(t, strings.Join(c.Args, " "), "orte_tmpdir_base /files")
				require.Contains(t, strings.Join(c.Args, " "), "btl_vader_backing_directory /segments")
			}
		}
	}
	text := fmt.Sprint(groups)
	require.Contains(t, text, "--transport shm")
	require.Contains(t, text, "pebbles bfs --kronecker 18 --root 3 --root 5")
	require.Contains(t, text, "peer-bfs --kronecker 18 --root 3,5 --method")

	s.shm, s.sources = false, false
	groups = s.groups()
	require.NoError(t, lab.Check(groups))
	require.NotContains(t, fmt.Sprint(groups), "--transport shm")
	require.NotContains(t, fmt.Sprint(groups), "Sandia")
}

// Ranks are bound to cores if there are enough.
func TestBinding(t *testing.T) {
	require.Equal(t, "core", mpi{ranks: runtime.NumCPU()}.binding())
	require.Equal(t, "none", mpi{ranks: runtime.NumCPU() + 1}.binding())
}

func TestAgree(t *testing.T) {
	result := func(name, reached string) *lab.Result {
		exactly := map[string]string{}
		for _, field := range found {
			exactly[field] = reached
		}
		return &lab.Result{Case: lab.Case{Name: name, Exact: found}, Exactly: exactly}
	}
	other := &lab.Result{Case: lab.Case{Name: "x", Exact: []string{"wrong_words"}},
		Exactly: map[string]string{"wrong_words": "1"}}
	results := func(all ...*lab.Result) lab.Results {
		return lab.Results{Groups: []lab.GroupResult{{Results: all}}}
	}
	require.NoError(t, agree(results(other, result("a", "[5]"), result("b", "[5]"))))
	require.ErrorContains(t, agree(results(result("a", "[5]"), other, result("b", "[6]"))),
		"a and b have the same graph")
}

// The failure of a command does not count as a missing transport.
func TestOffersShm(t *testing.T) {
	folder := install(t, map[string]string{"new": "exit 0", "old": "exit 2", "broken": "echo no room >&2\nexit 1"})
	ask := func(name string) (bool, error) { return offersShm(context.Background(), filepath.Join(folder, name)) }
	offers, err := ask("new")
	require.NoError(t, err)
	require.True(t, offers)
	offers, err = ask("old")
	require.NoError(t, err)
	require.False(t, offers)
	_, err = ask("broken")
	require.ErrorContains(t, err, "no room")
	_, err = ask("missing")
	require.Error(t, err)
}

func TestDrawRoots(t *testing.T) {
	folder := install(t, map[string]string{
		"well": `echo '{"roots":[3,18446744073709551615]}'`, "none": `echo '{"roots":[]}'`, "text": "echo hello",
		"fails": "exit 1",
	})
	draw := func(name string) (map[int][]string, error) {
		return drawRoots(context.Background(), filepath.Join(folder, name), tiny)
	}
	roots, err := draw("well")
	require.NoError(t, err)
	require.Equal(t, map[int][]string{8: {"3", "18446744073709551615"}}, roots)
	for _, name := range []string{"none", "text", "fails"} {
		_, err = draw(name)
		require.ErrorContains(t, err, "draw roots", name)
	}
}

// anything prints every field that a case may read.
const anything = `cat <<'END'
{"errors":%s,"checksum":"1","roots":[1],"updates_per_second":1e6,"elements_per_second":1e6,"seconds_per_hop":1e-6,
"items_per_second":1e6,"harmonic_mean_teps":1e6,"vertices":1,"edges":1,"reached":[%s],"depths":[1],"distance_sums":[1]}
END
`

// An error of a program ends the measurement, with the program's name and its output.
func TestOddPrograms(t *testing.T) {
	fine := fmt.Sprintf(anything, "0", "1")
	for peer, why := range map[string]string{
		fine:                               "",
		"echo cannot work >&2\nexit 7":     "exit status 7; it said:\ncannot work",
		"echo nonsense":                    "prints no JSON object",
		fine + fine:                        "more than one JSON object",
		fmt.Sprintf(anything, "3", "1"):    `field "errors" is 3`,
		`echo '{"errors":0}'`:              "is <nil>, not a number",
		`echo '{"updates_per_second":1}'`:  `field "errors" is <nil>`,
		fmt.Sprintf(anything, "0", "1, 2"): "have the same graph",
		strings.Replace(fine, `"checksum":"1"`, `"checksum":"2"`,
			1): "do the same work, but their checksums are 1 and 2",
	} {
		scripts := map[string]string{
			"mpirun":  version + "while [ \"${1#/}\" = \"$1\" ] || [ -d \"$1\" ]; do shift; done\nexec \"$1\"\n",
			"pebbles": "case \"$*\" in *shm*) exit 2;; esac\n" + fine, "pebbles-lab": fine,
		}
		for _, name := range strings.Fields("randomaccess permutation pointerchase bfs alltoall pingpong epochs " +
			"jacobi contagion") {
			scripts["peer-"+name] = peer
		}
		folder := install(t, scripts)
		out := filepath.Join(t.TempDir(), "results.json")
		table, err := run(t, "-programs", folder, "-small", "-hpcc-source", "none", "-out", out, "-only",
			"(2.16 words a rank, shared|BFS.*shared).*(process|point)")
		if why != "" {
			require.ErrorContains(t, err, why)
			require.NoFileExists(t, out)
			continue
		}
		require.NoError(t, err)
		require.Regexp(t, regexp.MustCompile(`(?m)^RandomAccess.*MPI, point to point +1 `), table)
		results, err := lab.Read(out)
		require.NoError(t, err)
		require.Len(t, results.Groups, 2)
	}
}

// The page gets tables and pictures, and keeps the rest.
func TestKeep(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("# Measurements\n\nMine.\n"), 0o644))
	r := &lab.Result{Case: lab.Case{Name: "a", Args: []string{"a"}, Unit: "M/s"}, Samples: []lab.Sample{{Value: 2}}}
	results := lab.Results{Format: lab.Format, Repeats: 1, Command: "make", Groups: []lab.GroupResult{
		{Name: "One, two", About: "About.", Results: []*lab.Result{r}}}}
	require.NoError(t, options{Session: &lab.Session{Page: page}}.keep(results))
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(text), "Mine.")
	require.Contains(t, string(text), "## One, two\n\nAbout.")
	require.Contains(t, string(text), "![One, two](plots/peers/one-two.svg)")
	require.FileExists(t, filepath.Join(filepath.Dir(page), "plots", "peers", "one-two.svg"))
}

// Results measured before an error are kept, but not as the results.
func TestKeepPart(t *testing.T) {
	var said bytes.Buffer
	o := options{Session: &lab.Session{Out: filepath.Join(t.TempDir(), "peers.json"), Stderr: &said}}
	r := &lab.Result{Case: lab.Case{Name: "a", Args: []string{"a"}, Unit: "M/s"}, Samples: []lab.Sample{{Value: 2}}}
	results := lab.Results{Format: lab.Format, Repeats: 1, Command: "make"}
	require.NoError(t, o.keepPart(results, 3))
	require.Empty(t, said.String())
	require.NoFileExists(t, o.Out+".part")
	results.Groups = []lab.GroupResult{{Name: "one", Results: []*lab.Result{r}}}
	require.NoError(t, o.keepPart(results, 3))
	require.Equal(t, "1 of 3 groups were measured, and are in "+o.Out+".part\n", said.String())
	require.NoFileExists(t, o.Out)
	kept, err := lab.Read(o.Out + ".part")
	require.NoError(t, err)
	require.Equal(t, "one", kept.Groups[0].Name)
	o.Out = filepath.Join(t.TempDir(), "no", "such", "folder")
	require.Error(t, o.keepPart(results, 3))
	o.Out = ""
	require.NoError(t, o.keepPart(results, 3))
}

func TestOthersRunning(t *testing.T) {
	for text, others := range map[string]int{
		"0.20 0.18 0.12 1/80 11206\n": 0, "9.1 8.2 7.3 5/345 2\n": 4, "0 0 0 0/0 0": 0, "": 0, "0 0 0": 0,
		"0 0 0 x/y 1": 0,
	} {
		require.Equal(t, others, othersRunning(text), text)
	}
}

func TestLine(t *testing.T) {
	require.Equal(t, "make -C lab compare REPEATS=7", options{Session: &lab.Session{Repeats: 7},
		hpccSource: "debian"}.line())
	require.Equal(t, "make -C lab compare REPEATS=5 ONLY='BFS' HPCC_SOURCE=none",
		options{Session: &lab.Session{Repeats: 5, Only: "BFS"}, hpccSource: "none"}.line())
	require.Equal(t, "make -C lab compare REPEATS=5 AGAIN='BFS'",
		options{Session: &lab.Session{Repeats: 5}, again: "BFS", hpccSource: "debian"}.line())
}

// Every program and every target of make on the page on peers exists.
func TestPage(t *testing.T) {
	page, err := os.ReadFile("../results/peers.md")
	require.NoError(t, err)
	makefile, err := os.ReadFile("../Makefile")
	require.NoError(t, err)
	calls := regexp.MustCompile(`make -C lab (\w+)`).FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, calls)
	for _, call := range calls {
		require.Regexp(t, `(?m)^`+call[1]+`:`, string(makefile))
	}
	peers := regexp.MustCompile(`(?m)^PEERS := (.*)$`).FindStringSubmatch(string(makefile))
	require.NotNil(t, peers)
	for _, name := range strings.Fields(peers[1]) {
		require.Contains(t, string(page), "| `"+name+"` |")
		source, err := filepath.Glob(filepath.Join("..", "peers", name+".c*"))
		require.NoError(t, err)
		require.Len(t, source, 1)
	}
	for _, over := range []medium{shm, tcp} {
		for _, word := range tuned[over] {
			require.Contains(t, string(page), word)
		}
	}
}

// The README's table equals that of the kept results.
func TestReadme(t *testing.T) {
	r, err := lab.Read("../results/peers.json")
	require.NoError(t, err)
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	page, err := lab.Section(string(text), "peers", readme(r))
	require.NoError(t, err)
	require.Equal(t, page, string(text), "README.md is out of date: make -C lab readme")
	require.NotContains(t, page, ":  |", "a work of the table has no results")
	file := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(file, text, 0o644))
	_, err = run(t, "-readme", file, "-from", "../results/peers.json")
	require.NoError(t, err)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, page, string(written))
}
