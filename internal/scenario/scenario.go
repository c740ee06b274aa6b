// Package scenario runs tests that are written as transcripts: commands, and their results below them.
//
// A file of testdata begins with an explanation, in lines after #. Blocks follow, with empty lines between them: more
// explanation if needed, commands of one line each, a line of four dashes, and the output of the commands. With the
// flag -rewrite the test replaces the output in the file: to write a scenario, write its commands, and read their
// output.
//
// A command is a name and words after it; words may have the form key=value. The test defines the commands: see
// [Verbs].
package scenario

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "write what the commands of scenarios tell into their files")

// Verbs are the commands of a test, by name. They write their output to the Log of the test.
type Verbs map[string]func(c *Command)

// Log is the output of the commands of a block.
type Log struct{ text strings.Builder }

// Say writes one line.
func (l *Log) Say(format string, args ...any) {
	fmt.Fprintf(&l.text, format, args...)
	l.text.WriteByte('\n')
}

// Count formats a number of things in words: 1 frame, 2 frames.
func Count[N ~int | ~int64 | ~uint32](n N, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (l *Log) take() string {
	text := l.text.String()
	l.text.Reset()
	if text == "" {
		return "ok\n"
	}
	return text
}

// Run plays each file of testdata, with fresh verbs, and compares the output with the file.
func Run(t *testing.T, verbs func(t *testing.T, l *Log) Verbs) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			source, err := os.ReadFile(file)
			require.NoError(t, err)
			l := &Log{}
			told, err := Play(file, string(source), verbs(t, l), l)
			require.NoError(t, err, "so far:\n%s", told)
			if *rewrite && told != string(source) {
				require.NoError(t, os.WriteFile(file, []byte(told), 0o644))
				return
			}
			require.Equal(t, string(source), told, "other things come of the commands: see -rewrite")
		})
	}
}

// Play runs the commands of a file, and returns the file with their output. Its error names a line that can't be run;
// the returned file then ends there.
func Play(file, source string, verbs Verbs, l *Log) (told string, err error) {
	if !strings.HasPrefix(source, "# ") {
		return "", fmt.Errorf("%s:1: begin with what the scenario shows, behind #", file)
	}
	var out strings.Builder
	commands, skip := 0, false
	lines := strings.Split(strings.TrimRight(source, "\n"), "\n")
	for i, line := range append(lines, "") {
		switch {
		case line == "":
			if commands > 0 {
				out.WriteString("----\n" + l.take())
			}
			commands, skip = 0, false
			if i < len(lines) {
				out.WriteByte('\n')
			}
		case skip:
		case line == "----":
			skip = true
		default:
			out.WriteString(line + "\n")
			if strings.HasPrefix(line, "#") {
				continue
			}
			commands++
			if err := run(fmt.Sprintf("%s:%d", file, i+1), line, verbs); err != nil {
				return out.String() + "----\n" + l.take(), err
			}
		}
	}
	return out.String(), nil
}

// run runs one command. A verb rejects it by a panic.
func run(at, line string, verbs Verbs) (err error) {
	words := strings.Fields(line)
	c := &Command{Name: words[0], values: map[string]string{}}
	for _, w := range words[1:] {
		key, value, valued := strings.Cut(w, "=")
		if !valued {
			c.words = append(c.words, w)
		} else {
			c.values[key] = value
		}
	}
	verb := verbs[c.Name]
	if verb == nil {
		names := make([]string, 0, len(verbs))
		for name := range verbs {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("%s: unknown command %q: there are %s", at, c.Name, strings.Join(names, ", "))
	}
	defer func() {
		if value := recover(); value != nil {
			why, ok := value.(refusal)
			if !ok {
				panic(value)
			}
			err = fmt.Errorf("%s: %s: %s", at, c.Name, string(why))
		}
	}()
	verb(c)
	for key := range c.values {
		c.Refuse("it takes no %s=", key)
	}
	if len(c.words) > 0 {
		c.Refuse("it takes no word %q", c.words[0])
	}
	return nil
}

// Command is one command with its words. A verb removes the words that it uses; words that are left are rejected.
type Command struct {
	Name   string
	words  []string
	values map[string]string
}

type refusal string

// Refuse ends the test: the command makes no sense.
func (c *Command) Refuse(format string, args ...any) { panic(refusal(fmt.Sprintf(format, args...))) }

// Word returns the next word.
func (c *Command) Word(what string) string {
	if len(c.words) == 0 {
		c.Refuse("say which %s", what)
	}
	w := c.words[0]
	c.words = c.words[1:]
	return w
}

// More reports whether there is another word.
func (c *Command) More() bool { return len(c.words) > 0 }

// Number returns the next word as a number.
func (c *Command) Number(what string) int { return c.number(what, c.Word(what)) }

// Pair returns the next word as two numbers with a separator, such as 0->1.
func (c *Command) Pair(what, between string) (a, b int) {
	left, right, _ := strings.Cut(c.Word(what), between)
	return c.number(what, left), c.number(what, right)
}

// Has reports whether a word is among the command's, and removes it.
func (c *Command) Has(word string) bool {
	i := slices.Index(c.words, word)
	if i >= 0 {
		c.words = slices.Delete(c.words, i, i+1)
	}
	return i >= 0
}

// Text returns the value of a key, or otherwise if the command has none.
func (c *Command) Text(key, otherwise string) string {
	if v, ok := c.values[key]; ok {
		delete(c.values, key)
		return v
	}
	return otherwise
}

// Values returns all remaining keys, with their values.
func (c *Command) Values() map[string]string {
	all := c.values
	c.values = nil
	return all
}

// Int is Text for a number.
func (c *Command) Int(key string, otherwise int) int {
	if v := c.Text(key, ""); v != "" {
		return c.number(key, v)
	}
	return otherwise
}

// Ints is Text for numbers with commas between them.
func (c *Command) Ints(key string) (all []int) {
	for _, v := range strings.Split(c.Text(key, ""), ",") {
		all = append(all, c.number(key, v))
	}
	return all
}

// Time is Text for a duration, such as 5ms.
func (c *Command) Time(key string) time.Duration {
	d, err := time.ParseDuration(c.Text(key, "0s"))
	if err != nil {
		c.Refuse("%s: %v", key, err)
	}
	return d
}

func (c *Command) number(what, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		c.Refuse("%s is a number, %q is none", what, text)
	}
	return n
}
