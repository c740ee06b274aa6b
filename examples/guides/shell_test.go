package guides_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/activepebbles/pebbles"

// built returns the path of a program that was built before: a build within a test would take minutes on a busy
// machine.
func built(t *testing.T, program string) string {
	folder := os.Getenv("PEBBLES_PROGRAMS")
	if folder == "" {
		t.Skip("name in PEBBLES_PROGRAMS the folder where pebbles, pebbles-lab and wordcount are built, as make check does")
	}
	return filepath.Join(folder, program)
}

// shell checks the commands of one document in turn.
type shell struct{ built map[string]bool } // by go build -o

func (s *shell) check(t *testing.T, b block) error {
	for line := range strings.Lines(b.text) {
		line, _, _ = strings.Cut(line, "#")
		for command := range strings.SplitSeq(strings.ReplaceAll(line, " | ", "&&"), "&&") {
			words := wordsOf(command)
			if len(words) == 0 {
				continue
			}
			if err := s.command(t, words); err != nil {
				return fmt.Errorf("%s: %s: %w", b.place, strings.TrimSpace(line), err)
			}
		}
	}
	return nil
}

// wordsOf splits a command at its spaces, except within quotes.
func wordsOf(command string) (words []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

func (s *shell) command(t *testing.T, words []string) error {
	switch name := words[0]; {
	case name == "export" || name == "sbatch" || name == "sacct" || strings.HasPrefix(name, "/"):
		return nil
	case name == "CGO_ENABLED=0" || name == "LC_ALL=C":
		return s.command(t, words[1:])
	case name == "mpiexec" || name == "mpirun" || name == "srun":
		return s.launched(t, words[1:])
	case slices.Contains(strings.Fields("git cd mkdir cp make mawk sort head cmp docker kubectl"), name):
		return nil
	case name == "go":
		return s.goCommand(t, words[1:])
	case name == "pebbles" || name == "pebbles-lab":
		return s.pebbles(t, name, words[1:])
	case strings.HasPrefix(name, "./"):
		return s.program(name)
	case strings.HasPrefix(name, "lab/"): // a script of this repository
		_, err := os.Stat(filepath.Join(root, name))
		return err
	}
	return fmt.Errorf("%q is a command that this test does not know", words[0])
}

// launched checks the program that another launcher starts, after the launcher's own flags.
func (s *shell) launched(t *testing.T, words []string) error {
	for i, word := range words {
		switch {
		case word == "pebbles":
			return s.pebbles(t, word, words[i+1:])
		case strings.HasPrefix(word, "/"), word == "--mpi=list":
			return nil
		}
	}
	return fmt.Errorf("a launcher is given no program")
}

// program checks a program that an earlier command must have built.
func (s *shell) program(name string) error {
	if strings.HasPrefix(name, "/shared/") { // a copy on another host
		return nil
	}
	if !s.built[strings.TrimPrefix(name, "./")] {
		return fmt.Errorf("no go build -o has made %s before", name)
	}
	return nil
}

func (s *shell) goCommand(t *testing.T, words []string) error {
	verb, words := words[0], words[1:]
	if verb == "mod" || verb == "get" || verb == "run" && len(words) == 1 && words[0] == "." { // in a user's module
		return nil
	}
	if verb != "run" && verb != "build" && verb != "install" && verb != "test" {
		return fmt.Errorf("go %s is a command that this test does not know", verb)
	}
	for i, word := range words {
		word, _, _ = strings.Cut(strings.Replace(word, module, ".", 1), "@")
		if !strings.HasPrefix(word, "./") {
			if i > 0 && words[i-1] == "-o" {
				s.built[word] = true
			}
			continue
		}
		return s.goPackage(t, verb, word, words[i+1:])
	}
	return fmt.Errorf("go %s names no package", verb)
}

func (s *shell) goPackage(t *testing.T, verb, name string, args []string) error {
	if verb == "test" && name == "./..." {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(root, name, "*.go"))
	require.NoError(t, err)
	text := ""
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		text += string(source)
	}
	if strings.Contains(text, "pebble.Flags(") {
		source, err := os.ReadFile(filepath.Join(root, "pebble", "flags.go"))
		require.NoError(t, err)
		text += string(source)
	}
	switch {
	case len(files) == 0:
		return fmt.Errorf("there is no package %s", name)
	case verb != "test" && !strings.Contains(text, "package main\n"):
		return fmt.Errorf("package %s is no program", name)
	case strings.HasPrefix(name, "./cmd/pebbles") && verb == "run":
		return s.pebbles(t, filepath.Base(name), args)
	}
	for _, arg := range args {
		if flag, is := strings.CutPrefix(arg, "-"); is && verb == "run" && !hasFlag(text, flag) {
			return fmt.Errorf("package %s has no flag -%s", name, flag)
		}
	}
	return nil
}

// hasFlag searches a program's source for a flag that is returned or put into a variable.
func hasFlag(source, name string) bool {
	quoted := `"` + regexp.QuoteMeta(name) + `",`
	return regexp.MustCompile(`[(]` + quoted + `|, ` + quoted + `\s`).MatchString(source)
}

// pebbles checks subcommand and flags against the help of the command, which is pebbles or pebbles-lab.
func (s *shell) pebbles(t *testing.T, program string, args []string) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return nil
	}
	if app := slices.IndexFunc(args[1:], s.application(t)) + 1; args[0] == "tune" && app > 0 {
		if err := s.pebbles(t, program, args[app:]); err != nil { // its flags follow its name
			return err
		}
		args = args[:app]
	}
	command := args[:1]
	if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		command = args[:2] // may be a subcommand
	}
	help, err := exec.Command(built(t, program), append(slices.Clone(command), "--help")...).CombinedOutput()
	require.NoError(t, err)
	if strings.Contains(string(help), "--help-all") {
		help, err = exec.Command(built(t, program), append(slices.Clone(command), "--help-all")...).CombinedOutput()
		require.NoError(t, err)
	}
	if !strings.Contains(string(help), "\n  "+program+" "+args[0]+" ") {
		return fmt.Errorf("%s has no command %s", program, args[0])
	}
	for i, arg := range args[1:] {
		if arg == "--" && args[0] == "k8s" { // its program is in an image
			return nil
		}
		if arg == "--" && args[i+2] == "pebbles" {
			return s.pebbles(t, program, args[i+3:])
		}
		if arg == "--" {
			return s.program(args[i+2])
		}
		flag, _, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(flag, "-") {
			continue
		}
		if !regexp.MustCompile(`(?m)^\s+(-\w, )?` + regexp.QuoteMeta(flag) + `\b`).Match(help) {
			return fmt.Errorf("%s %s has no flag %s", program, args[0], flag)
		}
	}
	return nil
}

// application returns a function that reports whether a word is a command that runs a job.
func (s *shell) application(t *testing.T) func(word string) bool {
	help, err := exec.Command(built(t, "pebbles"), "tune").CombinedOutput()
	require.Error(t, err, "it names them when it is given none")
	_, names, _ := strings.Cut(string(help), "use one of ")
	return func(word string) bool { return strings.Contains(names, word+",") || strings.Contains(names, word+";") }
}

// TestCommands checks the commands of all documents, and the output of --explain there.
func TestCommands(t *testing.T) {
	for _, name := range documents(t) {
		all := blocksOf(t, name)
		shell := shell{built: map[string]bool{}}
		for i, b := range all {
			var err error
			switch {
			case b.language == "sh":
				err = shell.check(t, b)
			case b.language == "text" && i > 0 && explains(all[i-1]):
				err = explained(t, all[i-1], b)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestShellBites breaks each rule once.
func TestShellBites(t *testing.T) {
	built(t, "pebbles")
	for line, why := range map[string]string{
		"go run ./examples/wordcount -ranks 4":                                 "",
		"go run ./examples/wordcount -rank 4":                                  "has no flag -rank",
		"go run ./examples/routing -ranks 4":                                   "",
		"go run ./examples/routing -rank 4":                                    "has no flag -rank",
		"go run ./examples/nosuch":                                             "there is no package",
		"go run ./route":                                                       "is no program",
		"go install " + module + "/cmd/pebbles@latest":                         "",
		"go vet ./...":                                                         "does not know",
		"go run":                                                               "names no package",
		"go test ./...":                                                        "",
		"go run ./cmd/pebbles nosuch":                                          "has no command",
		"pebbles nosuch":                                                       "has no command",
		"pebbles bench":                                                        "has no command",
		"pebbles bfs --kronecker 16 --roots=4":                                 "",
		"pebbles bfs --kronecke 16":                                            "has no flag --kronecke",
		"pebbles run -n 2 -- pebbles bfs --roots 4":                            "",
		"pebbles run -n 2 -- pebbles bfs --rots 4":                             "has no flag --rots",
		"pebbles-lab bench compare --ratios a b":                               "",
		"pebbles-lab bench --ratios a":                                         "has no flag --ratios",
		"pebbles-lab bench Latency --quick":                                    "",
		"pebbles tune --runs 3 bfs --roots 4":                                  "",
		"pebbles tune --runs 3 bfs --root-count 4":                             "has no flag --root-count",
		"pebbles tune --run 3 bfs --roots 4":                                   "has no flag --run",
		"pebbles run -n 2 -- ./a":                                              "no go build",
		"pebbles run -n 2 -- ./a | kubectl create -f -":                        "no go build",
		"pebbles k8s --name a --image b -n 2 -- /b -c | kubectl create -f -":   "",
		"kubectl get pods && pebbles k8s --dockerfil . >Dockerfile":            "has no flag --dockerfil",
		"go build -o a ./examples/wordcount\npebbles run -n 2 -- ./a":          "",
		"go build -o a ./examples/wordcount\n./a FILE # why":                   "",
		"go build -o /tmp/a ./examples/topology && pebbles run -m 2 -- /tmp/a": "has no flag -m",
		"go build -o /tmp/a ./examples/topology && pebbles run -n 2 -- /tmp/b": "no go build",
		"./a":         "no go build",
		"rm -r /":     "does not know",
		"# a comment": "",
		"lab/nosuch":  "no such file",
	} {
		s := shell{built: map[string]bool{}}
		err := s.check(t, block{place: "a.md:1", language: "sh", text: line})
		if why == "" {
			require.NoError(t, err, line)
			continue
		}
		require.ErrorContains(t, err, why, line)
		require.ErrorContains(t, err, "a.md:1", line)
	}
}

// TestProcesses runs word count as processes over TCP, as in the guide: the output is that of one process.
func TestProcesses(t *testing.T) {
	alone, err := exec.Command(built(t, "wordcount"), "-ranks", "3").Output()
	require.NoError(t, err)
	job := exec.Command(built(t, "pebbles"), "run", "-n", "2", "--ranks", "5", "--", built(t, "wordcount"))
	var stderr strings.Builder
	job.Stderr = &stderr
	out, err := job.Output()
	require.NoError(t, err, stderr.String())
	require.NotEmpty(t, alone)
	require.Equal(t, string(alone), string(out))
}
