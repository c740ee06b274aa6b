package launch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/internal/launch"
)

// rows are the rows of a file of testdata: a list of hosts, and its result.
func rows(t *testing.T, name string) map[string]string {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	all := map[string]string{}
	for line := range strings.Lines(string(text)) {
		list, comes, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " => ")
		require.True(t, ok, line)
		all[list] = comes
	}
	return all
}

func TestParseHosts(t *testing.T) {
	for list, want := range rows(t, "hosts.rows") {
		hosts, err := launch.ParseHosts(list)
		require.NoError(t, err, list)
		require.Equal(t, want, written(hosts), list)
	}
}

func TestListsOfHostsThatAreWrong(t *testing.T) {
	for list, says := range rows(t, "hosts_wrong.rows") {
		_, err := launch.ParseHosts(list)
		require.ErrorContains(t, err, says, list)
	}
}

func written(hosts []launch.Host) string {
	var words []string
	for _, h := range hosts {
		if h.Slots == 0 {
			words = append(words, h.Name)
		} else {
			words = append(words, fmt.Sprintf("%s*%d", h.Name, h.Slots))
		}
	}
	return strings.Join(words, " ")
}

func hostfile(t *testing.T, text string) string {
	name := filepath.Join(t.TempDir(), "hosts")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestHostfile(t *testing.T) {
	hosts, err := launch.ReadHostfile(hostfile(t,
		"# my hosts\r\n\r\nalpha slots=4 # fast\n  beta:2\nnode[1-2],x slots = 3 max_slots=8\n::1 max-slots=1\nlast"))
	require.NoError(t, err)
	require.Equal(t, "alpha*4 beta*2 node1*3 node2*3 x*3 ::1 last", written(hosts))
}

func TestHostfilesThatAreWrong(t *testing.T) {
	for text, says := range map[string]string{
		"":                                       "it names no host",
		"# none\n":                               "it names no host",
		"a\nb slot=3":                            `:2: "slot=3" is unknown`,
		"a b":                                    `:1: "b" is unknown`,
		"a slots=x":                              `:1: the slots of a host are a number from 1 to 65536, "x" is not`,
		"a slots=0":                              ":1: the slots of a host",
		"a slots=1 slots=1":                      ":1: slots is there twice",
		"a:2 slots=2":                            ":1: slots are there twice",
		"\n\na slots=4 max_slots=2":              ":3: slots of a are 4, more than its max_slots=2",
		"a[1":                                    ":1: ",
		"a[0-65535]\nb":                          ":2: there are more than 65536 hosts",
		strings.Repeat("#", 5<<20):               "more than 4194304 bytes",
		strings.Repeat("###########\n", 400_000): "more than 4194304 bytes",
	} {
		name := hostfile(t, text)
		_, err := launch.ReadHostfile(name)
		require.ErrorContains(t, err, says)
		require.ErrorContains(t, err, name)
	}
	_, err := launch.ReadHostfile("/no/such/file")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = launch.ReadHostfile(t.TempDir())
	require.ErrorContains(t, err, "read hostfile")
}

func TestPlaceOn(t *testing.T) {
	for _, c := range []struct {
		list      string
		processes int
		want      string
	}{
		{"a,b", 2, "a b"},
		{"a,b", 7, "a b"}, // Spec spreads the processes
		{"a:2,b:3", 5, "a a b b b"},
		{"a:2,b:3", 3, "a a b"},
		{"a:2,b:3", 1, "a"},
		{"a,b:3", 4, "a b b b"},
	} {
		hosts, err := launch.ParseHosts(c.list)
		require.NoError(t, err)
		places, err := launch.PlaceOn(hosts, c.processes)
		require.NoError(t, err)
		require.Equal(t, c.want, strings.Join(places, " "))
	}
	_, err := launch.PlaceOn([]launch.Host{{Name: "a", Slots: 2}, {Name: "b"}}, 4)
	require.EqualError(t, err, "there are 3 slots on 2 hosts for 4 processes: start fewer, or give the hosts more slots")
}

// FuzzParseHosts compares with expansion by rewriting, one bracket and one number at a time.
func FuzzParseHosts(f *testing.F) {
	for _, list := range []string{"a", "node[01-04,07],gpu1", "r[1-2]n[0-1]:3", "::1", "a[4-1]", "a[[", "a:2,b", "[9-10]",
		"a,", "a[ 1, 2-3 ]x", "\xe0", "[\r0]"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		if regexp.MustCompile(`[0-9]{4}`).MatchString(list) || strings.Count(list, "[") > 3 {
			return // the twin is slow
		}
		hosts, err := launch.ParseHosts(list)
		if err != nil {
			require.Empty(t, hosts)
			return
		}
		require.Equal(t, rewritten(list), written(hosts), "%q", list)
	})
}

// rewritten expands a valid list by rewriting its text, from the first bracket on.
func rewritten(list string) string {
	var done []string
	for _, word := range outside(list) {
		word = strings.TrimSpace(word)
		slots := ""
		if name, n, ok := strings.Cut(word, ":"); ok && regexp.MustCompile(`^[0-9]+$`).MatchString(n) && name != "" {
			number, _ := strconv.Atoi(n)
			word, slots = name, fmt.Sprint("*", number)
		}
		for _, name := range unfolded(word) {
			done = append(done, name+slots)
		}
	}
	return strings.Join(done, " ")
}

var bracket = regexp.MustCompile(`^(.*?)\[(.*?)\](.*)$`)

func unfolded(word string) (names []string) {
	m := bracket.FindStringSubmatch(word)
	if m == nil {
		return []string{word}
	}
	for _, item := range strings.Split(m[2], ",") {
		low, high, _ := strings.Cut(strings.Trim(item, " ")+"-", "-")
		high = strings.TrimSuffix(high, "-")
		n, _ := strconv.Atoi(low)
		last, err := strconv.Atoi(high)
		if err != nil {
			last = n
		}
		for ; n <= last; n++ {
			names = append(names, unfolded(m[1]+fmt.Sprintf("%0*d", len(low), n)+m[3])...)
		}
	}
	return names
}

// outside splits at commas outside brackets.
func outside(list string) (words []string) {
	word, depth := "", 0
	for i := range len(list) {
		c := list[i]
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				words, word = append(words, word), ""
				continue
			}
		}
		word += list[i : i+1]
	}
	return append(words, word)
}

func TestOnlyHere(t *testing.T) {
	name, err := os.Hostname()
	require.NoError(t, err)
	for list, want := range map[string]bool{
		"localhost:2": true, "127.0.0.1": true, name + ":4,localhost": true, "localhost,node7": false, "node7": false,
	} {
		hosts, err := launch.ParseHosts(list)
		require.NoError(t, err)
		require.Equal(t, want, launch.OnlyHere(hosts), list)
	}
	require.False(t, launch.OnlyHere(nil))
}
