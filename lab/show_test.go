package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/machine"
)

func shown() Results {
	r := results(made("limit-a", "", 400, 100, 200), made("a", "limit-a", 200, 60, 100))
	r.Machine = machine.Machine{CPU: "E", Cores: 2, Go: "go1", System: "linux/amd64"}
	r.WarmUp = 1
	r.Groups[0].Results[1].Samples[0].State = Far
	return r
}

func TestTable(t *testing.T) {
	var b strings.Builder
	require.NoError(t, shown().Table(&b))
	var lines [][]string
	for line := range strings.Lines(b.String()) {
		lines = append(lines, strings.Fields(line))
	}
	require.Equal(t, [][]string{
		{"G", "median", "lowest", "highest", "unit", "ratio", "state"},
		{"limit-a", "200", "±50%", "100", "400", "M/s", "near"},
		{"a", "100", "±40%", "60", "200", "M/s", "0.50", "mixed"},
	}, lines)
}

func TestMarkdown(t *testing.T) {
	text := shown().Markdown(map[string][]string{"G": {"plots/g.svg"}})
	require.Contains(t, text, "Made by `pebbles-lab bench` on 2026-01-02: E, 2 cores, go1, linux/amd64.")
	require.Contains(t, text, "median of 3 runs (after 1 to warm up)")
	require.Contains(t, text, "\n## G\n\nAbout G.\n")
	require.Contains(t, text, "| limit-a | 200 | 100 | 400 | 100 | M/s |  |  | near | `run limit-a` |\n")
	require.Contains(t, text, "| a | 100 | 60 | 200 | 40 | M/s | 0.50 | limit-a | mixed | `run a` |\n")
	require.Contains(t, text, "\n![G](plots/g.svg)\n")
	require.NotContains(t, shown().Markdown(nil), "![")
}

// TestSection requires that a section is replaced, and that the rest of the page stays unchanged.
func TestSection(t *testing.T) {
	page, err := Section("# Page\n\nWords.\n", "one", "first")
	require.NoError(t, err)
	require.Equal(t, "# Page\n\nWords.\n\n<!-- begin one -->\n\nfirst\n\n<!-- end one -->\n", page)
	page, err = Section(page, "two", "second\n")
	require.NoError(t, err)
	page, err = Section(page+"After.\n", "one", "\n\nthird\n")
	require.NoError(t, err)
	require.Equal(t, "# Page\n\nWords.\n\n<!-- begin one -->\n\nthird\n\n<!-- end one -->\n\n"+
		"<!-- begin two -->\n\nsecond\n\n<!-- end two -->\nAfter.\n", page)
	for _, bad := range []string{"<!-- begin one -->\n", "<!-- end one -->\n",
		"<!-- end one -->\n<!-- begin one -->\n"} {
		_, err := Section(bad, "one", "x")
		require.ErrorContains(t, err, "only one of its two comments", bad)
	}
}

func TestWriteSection(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, WriteSection(file, "one", "text"))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "# Measurements\n\n<!-- begin one -->\n\ntext\n\n<!-- end one -->\n", string(text))
	require.Error(t, WriteSection(t.TempDir(), "one", "text"))
	require.ErrorIs(t, WriteSection("/no/such/folder/page.md", "one", "text"), os.ErrNotExist)
}
