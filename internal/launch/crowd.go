package launch

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// crowdMin is how many processes a processor makes a crowd: from there on each has one Go thread, which saves the threads of all from
// looking for work that there is not. docs/decisions/starting.md has the figures.
const crowdMin = 4

// varThreads is Go's own.
const varThreads = "GOMAXPROCS"

// crowded returns the setting of one Go thread for the processes of a crowd on this machine, unless the user has set it.
func (s *Spec) crowded() []string {
	_, said := os.LookupEnv(varThreads)
	said = said || slices.ContainsFunc(s.Env, func(v string) bool { return strings.HasPrefix(v, varThreads+"=") })
	if said || s.Processes < crowdMin*runtime.NumCPU() {
		return nil
	}
	return []string{varThreads + "=1"}
}
