package docs_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// read returns a file's text.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// files returns the module's files with one of these endings, by their paths from its root.
func files(t *testing.T, endings ...string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == ".git" || entry.Name() == "built") {
			return filepath.SkipDir
		}
		if !entry.IsDir() && slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(path, e) }) {
			name, err := filepath.Rel(root, path)
			all = append(all, filepath.ToSlash(name))
			return err
		}
		return nil
	}))
	return all
}

// documents returns the pages that must agree with the code. Changes, decisions and pages of figures describe their
// time.
func documents(t *testing.T) (names []string) {
	history := regexp.MustCompile(`^CHANGELOG|^docs/decisions/|` +
		`^lab/results/(accesses|measurements|memory|papers|peers|watching)`)
	for _, name := range files(t, ".md") {
		if !history.MatchString(name) {
			names = append(names, name)
		}
	}
	require.Greater(t, len(names), 10)
	return names
}

// entries returns the first cells of a table's rows.
func entries(text string) (all []string) {
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(text, -1) {
		all = append(all, row[1])
	}
	return all
}

// glossary returns the words, each of which has one line.
func glossary(text string) []string { return entries(text)[1:] }

// unused returns the words that occur in none of the texts.
func unused(words []string, texts string) (all []string) {
	for _, word := range words {
		if !strings.Contains(texts, word) {
			all = append(all, word)
		}
	}
	return all
}

func TestGlossary(t *testing.T) {
	words := glossary(read(t, "docs/glossary.md"))
	require.Greater(t, len(words), 20)
	require.LessOrEqual(t, len(words), 40)
	var texts strings.Builder
	for _, name := range files(t, ".go", ".md") {
		if name != "docs/glossary.md" && !strings.HasPrefix(name, "internal/docs/") {
			texts.WriteString(read(t, name) + "\n")
		}
	}
	require.Empty(t, unused(words, strings.ToLower(texts.String())))
	seen := map[string]bool{}
	for _, word := range words {
		require.False(t, seen[word], word)
		seen[word] = true
	}
}

func TestPagesAreShort(t *testing.T) {
	for name, lines := range map[string]int{"README.md": 120, "docs/architecture.md": 150, "docs/contract.md": 205} {
		require.LessOrEqual(t, strings.Count(read(t, name), "\n"), lines, name)
	}
	pages, decisions, words := 0, 0, 0
	for _, name := range files(t, ".md") {
		switch {
		case strings.HasPrefix(name, "docs/decisions/"):
			decisions++
		case strings.HasPrefix(name, "docs/"):
			pages++
		default:
			continue
		}
		for _, word := range strings.Fields(read(t, name)) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				words++ // the bars of a table are no words
			}
		}
	}
	require.LessOrEqual(t, pages, 18)
	require.LessOrEqual(t, decisions, 30)
	require.LessOrEqual(t, words, 30_000)
}

// TestLines requires lines of prose to end at 120 columns. Tables and blocks of code may be wider.
func TestLines(t *testing.T) {
	for _, name := range append(files(t, ".md"), "README.md") {
		if strings.HasPrefix(name, "lab/results/") {
			continue // programs write these
		}
		for line := range strings.Lines(fenced.ReplaceAllString(read(t, name), "")) {
			if !strings.HasPrefix(line, "|") {
				require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 120, "%s: %s", name, line)
			}
		}
	}
}

// TestStages compares CONTRIBUTING's tables with the stages of .ci/run and .ci/long.
func TestStages(t *testing.T) {
	stages := regexp.MustCompile(`(?m)^(?:stage|beside|always) "([^"]+)"`)
	for script, head := range map[string]string{".ci/run": "| step |", ".ci/long": "| long step |"} {
		var want []string
		for _, line := range stages.FindAllStringSubmatch(read(t, script), -1) {
			want = append(want, line[1])
		}
		require.NotEmpty(t, want)
		_, table, ok := strings.Cut(read(t, "CONTRIBUTING.md"), head)
		require.True(t, ok)
		table, _, _ = strings.Cut(table, "\n\n")
		require.Equal(t, want, entries(table))
	}
}

func TestNames(t *testing.T) {
	module := load(t)
	for _, name := range documents(t) {
		for _, wrong := range module.wrong(path.Dir(name), read(t, name)) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// TestLinks follows the links of all documents, those of history as well.
func TestLinks(t *testing.T) {
	for _, name := range files(t, ".md") {
		require.Empty(t, wrongLinks(path.Dir(name), read(t, name)), name)
	}
}

// TestCommentsNamePages requires the pages named by comments, scripts and messages to exist.
func TestCommentsNamePages(t *testing.T) {
	page := regexp.MustCompile(`\b(docs|lab/results)/[a-z/-]+\.md\b`)
	scripts, err := filepath.Glob(filepath.Join(root, ".ci", "*"))
	require.NoError(t, err)
	names := append(files(t, ".go", "Makefile", "/run"), "Makefile")
	for _, script := range scripts {
		if info, err := os.Stat(script); err == nil && !info.IsDir() {
			names = append(names, ".ci/"+filepath.Base(script))
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, "internal/docs/") {
			continue
		}
		for _, found := range page.FindAllString(read(t, name), -1) {
			require.True(t, exists(found), "%s names %s, which is not there", name, found)
		}
	}
}

// TestNamesBite breaks each rule once.
func TestNamesBite(t *testing.T) {
	module := load(t)
	for text, want := range map[string]string{
		"`route/`, `docs/guide-*.md` and `reduce/cache.go`": "",
		"`route/nosuch.go`":                                      "there is no route/nosuch.go",
		"`nosuch/`, `encoding/json` and `/dev/shm/`":             "there is no nosuch/",
		"`nosuch/a.go`":                                          "there is no nosuch/a.go",
		"`route/nosuch*.go`":                                     "there is no route/nosuch*.go",
		"`pebble.Run`, `target.Target.Send` and `Rank.Epoch`":    "",
		"`pebble.NoSuch`":                                        "there is no pebble.NoSuch",
		"`pebble.Rank.NoSuch`":                                   "there is no pebble.Rank.NoSuch",
		"`--topology` and `pebbles bfs --roots 3`":               "",
		"`pebbles bfs --nosuch 3`":                               "there is no flag --nosuch",
		"`b.NoSuch` of no package of ours":                       "",
		"`Rank.Epoch`, `Config.Credits` and `Array.Get(i)`":      "",
		"`Rank.NoSuch`":                                          "there is no Rank.NoSuch",
		"`NoSuch.Rank`":                                          "there is no NoSuch.Rank",
		"`SendAll` and `OOMKilled`":                              "",
		"`NoSuch`":                                               "there is no NoSuch",
		"`-explain` and `go test -run X`":                        "",
		"`-nosuch 3`":                                            "there is no flag -nosuch",
		"`process 3 did not come to process 0`":                  "",
		"`process 3 did not go to process 0`":                    "no text says \"did not go to process\"",
		"\"… processes were asked for\"":                         "",
		"\"… processes were begged for\"":                        "no text says \"processes were begged for\"",
		"rows `a row of a table`, `and another of it`":           "",
		"# A, b\n[a](glossary.md) [b](https://go.dev) [c](#a-b)": "",
		"[a](#a)": "there is no heading #a",
		"[a](contract.md#under-faults) [b](contract.md#a)": "there is no heading contract.md#a",
		"[a](nosuch.md)": "there is no nosuch.md",
	} {
		var wrong []string
		if want != "" {
			wrong = []string{want}
		}
		require.Equal(t, wrong, module.wrong("docs", text), text)
	}
	require.Equal(t, []string{"no such word"}, unused([]string{"rank", "no such word"}, "ranks"))
	table := "| word | meaning |\n|---|---|\n| rank | a |\n| in flight | b |\n"
	require.Equal(t, []string{"rank", "in flight"}, glossary(table))
}

// TestExamples requires an example in every public package that programs use directly. Transports are opened by name,
// and applications share an example in apps, or in apps/graphtest.
func TestExamples(t *testing.T) {
	const sharing = "access alltoall centrality communities components epochs jaccard join kcore kmers pagerank " +
		"permutation ping pointerchase randomaccess sort stressmark treadmarks triangles words"
	exempt := regexp.MustCompile(`^(cmd|lab|examples|internal)/|/internal/|^(lab|apps/appstest|apps/graphtest|apps/(` +
		strings.ReplaceAll(sharing, " ", "|") + `))$|^netio/(connect|mem|netiotest|shm|tcp)|testdata`)
	packages := map[string]bool{}
	for _, name := range files(t, ".go") {
		folder := path.Dir(name)
		if !exempt.MatchString(folder) {
			has := strings.HasSuffix(name, "_test.go") && strings.Contains(read(t, name), "\nfunc Example")
			packages[folder] = packages[folder] || has
		}
	}
	require.Greater(t, len(packages), 10)
	for folder, has := range packages {
		require.True(t, has, "package %s has no example", folder)
	}
}

func TestPackageComments(t *testing.T) {
	comment := regexp.MustCompile(`(?m)^// [A-Z].*\n(//.*\n)*package `)
	packages := map[string]bool{}
	for _, name := range files(t, ".go") {
		folder := path.Dir(name)
		if !strings.HasSuffix(name, "_test.go") && !strings.Contains(folder, "testdata") {
			packages[folder] = packages[folder] || comment.MatchString(read(t, name))
		}
	}
	require.Greater(t, len(packages), 40)
	for folder, has := range packages {
		require.True(t, has, "package %s has no package comment: begin one file with what it is", folder)
	}
}
