package walls_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the walls into .golangci.yml")

const (
	command = "go test ./internal/walls -run Linter -update"
	begin   = "    # begin: generated from the table in internal/walls by `" + command + "`\n"
	end     = "    # end of what is generated\n"
)

// TestLinterIsGenerated holds .golangci.yml against the table.
func TestLinterIsGenerated(t *testing.T) {
	file := filepath.Join(root, ".golangci.yml")
	config, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, hasBegin := strings.Cut(string(config), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	require.True(t, hasBegin && hasEnd, "%s lacks one of these lines:\n%s%s", file, begin, end)
	want := before + begin + linterRules() + end + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	} else if string(config) != want {
		t.Errorf(".golangci.yml differs from the table in internal/walls: run `%s`", command)
	}
}

// linterRules returns the settings of forbidigo and depguard. An import must pass each depguard rule whose files match. A lax rule
// forbids what it denies, except what it allows; a strict rule forbids all but what it allows. A name that ends in "$" is one package,
// any other is a prefix.
func linterRules() string {
	var b strings.Builder
	fmt.Fprintf(&b, `    forbidigo:
      analyze-types: true # sees through renamed imports
      forbid:
        - pattern: ^time\.(%s)$
          pkg: ^time$
          msg: take the time from netio; internal/walls says who may read the clock
    depguard:
      rules:
`, strings.Join(clock, "|"))
	rule := func(name, mode string, files, allow, deny []string) {
		fmt.Fprintf(&b, "        %q:\n          list-mode: %s\n          files: %s\n", name, mode, list("%q", files))
		if len(allow) > 0 {
			fmt.Fprintf(&b, "          allow: %s\n", list("%q", allow))
		}
		if len(deny) > 0 {
			fmt.Fprintf(&b, "          deny: %s\n", list("{pkg: %q, desc: see internal/walls}", deny))
		}
	}

	for i, w := range walls {
		files := []string{glob(w.folder), "!$test"}
		for _, earlier := range walls[:i] {
			if matches(w.folder, earlier.folder) {
				files = append(files, "!"+glob(earlier.folder))
			}
		}
		if w.std != all || w.ours != all {
			rule(w.folder, "lax", files, names(w.std.allow, w.ours.allow), names(w.std.deny, w.ours.deny))
		}
	}

	outsideHelpers := []string{"$all", "!$test"}
	var helpers, clocks []string
	for _, w := range walls {
		if w.helper {
			helpers = append(helpers, module+"/"+w.folder)
			outsideHelpers = append(outsideHelpers, "!"+glob(w.folder))
		}
		if w.clock {
			clocks = append(clocks, strings.ReplaceAll(w.folder, "*", "[^/]+"))
		}
	}
	libraries := slices.Sorted(maps.Keys(homes))
	rule("helpers of tests", "lax", []string{"$all", "!$test"}, nil, helpers)
	allowed := append([]string{"$gostd", "go/", module}, libraries...) // go.uber.org hides the go of $gostd
	rule("libraries", "strict", []string{"$all"}, allowed, nil)
	for _, library := range libraries {
		files := outsideHelpers
		if homes[library] != nil {
			files = []string{"$all"}
			for _, home := range homes[library] {
				files = append(files, "!"+glob(home))
			}
		}
		rule(strings.ReplaceAll(library, ".", "-"), "lax", files, nil, []string{library})
	}
	fmt.Fprintf(&b, `  exclusions:
    rules:
      - path: ^(%s)/[^/]+\.go$|_test\.go$
        linters: [forbidigo]
`, strings.Join(clocks, "|"))
	return b.String()
}

// names writes lists of two sets as depguard takes them.
func names(std, ours string) (all []string) {
	for prefix, list := range map[string]string{"": std, module + "/": ours} {
		for _, name := range strings.Fields(list) {
			switch {
			case name == "*" && prefix == "":
				name = "$gostd"
			case name == "*":
				name = ""
			case !strings.HasSuffix(name, "/"):
				name += "$"
			}
			all = append(all, prefix+name)
		}
	}
	slices.Sort(all)
	return all
}

func glob(folder string) string { return "${config-path}/" + folder + "/*.go" }

// list formats a YAML list.
func list(format string, items []string) string {
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprintf(format, item)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
