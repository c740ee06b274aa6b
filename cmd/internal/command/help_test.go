package command

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// fits requires that help has at most the given number of lines, of 100 columns.
func fits(t *testing.T, help string, lines int) {
	t.Helper()
	require.LessOrEqual(t, strings.Count(help, "\n"), lines, help)
	for line := range strings.Lines(help) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), helpColumns, line)
	}
}

// lists reports whether help has a line that begins with a flag.
func lists(help, flag string) bool {
	return slices.ContainsFunc(strings.Split(help, "\n"), func(line string) bool {
		return slices.Contains(strings.Fields(line)[:min(2, len(strings.Fields(line)))], "--"+flag)
	})
}

// TestHelpOfApplicationsFits requires that the help of an application fits a screen. It has the application's own
// flags; --help-all adds those of all applications.
func TestHelpOfApplicationsFits(t *testing.T) {
	each(New(Pebbles(), Terminal{}), func(c *cobra.Command) {
		line := strings.Fields(c.CommandPath())[1:]
		if c.Flags().Lookup(helpAll) == nil || line[0] == "sim" {
			return
		}
		short, long := succeeds(t, with(line, "--help")...), succeeds(t, with(line, "--"+helpAll)...)
		t.Run(c.CommandPath(), func(t *testing.T) { fits(t, short, 40) })
		fits(t, long, 1000)
		require.Contains(t, short, "\n--help-all lists all flags: ")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && f.Name != helpAll {
				require.True(t, lists(long, f.Name), "%s --%s", c.CommandPath(), f.Name)
				require.Equal(t, !among(sectionsOf(c), f.Name), lists(short, f.Name), "%s --%s", c.CommandPath(), f.Name)
			}
		})
		for _, s := range sectionsOf(c) {
			require.Contains(t, long, "\n"+s.title+":\n")
		}
	})
}

// TestSectionsOfHelp requires that each shared flag and each command of the program is in one section.
func TestSectionsOfHelp(t *testing.T) {
	c := &cobra.Command{Use: "none"}
	(&settings{}).register(c)
	var inSections []string
	for _, s := range flagSections {
		inSections = append(inSections, strings.Fields(s.names)...)
	}
	registered := []string{helpAll}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != helpAll {
			registered = append(registered, f.Name)
		}
	})
	require.ElementsMatch(t, append(inSections, helpAll), registered)
	help := succeeds(t, "--help")
	fits(t, help, 70)
	_, other, _ := strings.Cut(help, "\nOther:\n")
	for _, sub := range New(Pebbles(), Terminal{}).Commands() {
		among := among(commandSections, sub.Name())
		require.Equal(t, among, !slices.Contains([]string{"completion", "help", "version"}, sub.Name()), sub.Name())
		require.Equal(t, among, !strings.Contains(other, "\n  "+sub.Name()+" ") &&
			!strings.HasPrefix(other, "  "+sub.Name()+" "), sub.Name())
	}
}
