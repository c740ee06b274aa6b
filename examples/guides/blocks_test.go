package guides_test

import (
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// block is a fenced block of a document.
type block struct {
	place    string // file and line, for messages
	language string
	text     string
}

// documents returns the files whose blocks are checked.
func documents(t *testing.T) (files []string) {
	for _, pattern := range []string{"docs/guide-*.md", "docs/applications.md", "README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		files = append(files, found...)
	}
	require.GreaterOrEqual(t, len(files), 3)
	return files
}

// blocks finds the fenced blocks of a document.
func blocks(name, document string) (all []block, err error) {
	var open *block
	for i, line := range strings.Split(document, "\n") {
		fence, isFence := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case isFence && open == nil:
			open = &block{place: fmt.Sprintf("%s:%d", filepath.Base(name), i+1), language: fence}
		case isFence:
			all, open = append(all, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s: the block is not closed", open.place)
	}
	return all, nil
}

// plain removes the differences between a block and its source: indentation, and comment marks, since examples hold
// their output in comments.
func plain(text string) string {
	var b strings.Builder
	b.WriteString("\n")
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimSpace(line)
		line = strings.TrimSpace(strings.TrimPrefix(line, "//"))
		b.WriteString(line + "\n")
	}
	return b.String()
}

// sources returns the compiled files of examples, made plain.
func sources(t *testing.T) map[string]string {
	all := map[string]string{}
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	for _, file := range files {
		compiled, err := build.Default.MatchFile(filepath.Dir(file), filepath.Base(file))
		require.NoError(t, err)
		if compiled && filepath.Dir(file) != "../guides" {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			all[file] = plain(string(text))
		}
	}
	require.Greater(t, len(all), 10)
	return all
}

// stands returns an error unless a source contains a block.
func stands(b block, sources map[string]string) error {
	want := plain(b.text)
	for file, source := range sources {
		isOutput := strings.HasSuffix(file, "_test.go")
		if strings.Contains(source, want) && (b.language == "go" || isOutput) {
			return nil
		}
	}
	return fmt.Errorf("%s: this block of %s stands in no compiled source of examples:\n%s", b.place, b.language, b.text)
}

// blocksOf returns the blocks of a document.
func blocksOf(t *testing.T, name string) []block {
	document, err := os.ReadFile(name)
	require.NoError(t, err)
	all, err := blocks(name, string(document))
	require.NoError(t, err)
	return all
}

// TestBlocks compares text and Go in documents with compiled files.
func TestBlocks(t *testing.T) {
	sources := sources(t)
	for _, name := range documents(t) {
		all := blocksOf(t, name)
		for i, b := range all {
			var err error
			switch {
			case b.language == "go":
				err = stands(b, sources)
			case b.language == "sh" || i > 0 && explains(all[i-1]): // see TestCommands
			case b.language != "text":
				err = fmt.Errorf("%s: a block of %q: use go, sh or text", b.place, b.language)
			case filepath.Base(name) != "README.md": // README shows the output of benchmarks
				err = stands(b, sources)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// TestBlocksBite breaks each rule once.
func TestBlocksBite(t *testing.T) {
	all, err := blocks("a.md", "a\n```go\nfunc a() {\n\tb()\n}\n```\n```text\n  1 a\n```\n")
	require.NoError(t, err)
	require.Equal(t, []block{{"a.md:2", "go", "func a() {\n\tb()\n}\n"}, {"a.md:7", "text", "  1 a\n"}}, all)
	_, err = blocks("a.md", "```go\n")
	require.ErrorContains(t, err, "a.md:1")

	source := plain("package a\n\n\tfunc a() {\n\t\tb()\n\t}\n")
	require.NoError(t, stands(all[0], map[string]string{"a.go": source}))
	require.ErrorContains(t, stands(all[0], map[string]string{"a.go": plain("\tfunc a() {\n\t\tb(1)\n\t}\n")}), "a.md:2")
	require.ErrorContains(t, stands(block{"a.md:1", "go", "unc a() {\n"}, map[string]string{"a.go": source}), "unc a()")
	require.NoError(t, stands(all[1], map[string]string{"a_test.go": plain("// Output:\n//   1 a\n")}))
	require.Error(t, stands(all[1], map[string]string{"a_test.go": plain("// Output:\n//   1 b\n")}))
}
