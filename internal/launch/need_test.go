package launch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A job that this machine has no room for is refused in one sentence that says what it would need.
func TestImpossibleJobsAreRefused(t *testing.T) {
	small := host{memory: 1 << 30, files: 1024}
	for want, s := range map[string]Spec{
		"": {Processes: 100, Ranks: 1000},
		"10000 processes need 40032 open files in their launcher, and 1024 are allowed: start fewer, or raise the limit (ulimit -n)": {Processes: 10_000, Ranks: 10_000},
		"200 processes need at least 1.56 GiB of memory, and 1 GiB are available: start fewer, or use more hosts":                    {Processes: 200, Ranks: 200},
		"1000000 ranks need at least 61 GiB of memory, and 1 GiB are available: use fewer, or more hosts":                            {Processes: 2, Ranks: 1_000_000},
	} {
		if want == "" {
			require.NoError(t, s.weigh(small))
			continue
		}
		require.EqualError(t, s.weigh(small), want)
	}
	elsewhere := Spec{Processes: 200, Ranks: 1_000_000, Hosts: []string{"a", "b"}}
	require.NoError(t, elsewhere.weigh(small), "other hosts have memory of their own")
	require.NoError(t, (&Spec{Processes: 1 << 15, Ranks: 1 << 15}).weigh(host{memory: 1 << 40}), "no limit of files is known")
}

// Run refuses it before it starts anything.
func TestImpossibleJobsAreNotStarted(t *testing.T) {
	_, err := Run(t.Context(), Spec{Processes: processesMax, Ranks: 1 << 24, Program: []string{"/bin/true"}})
	require.ErrorContains(t, err, "65536 processes need")
}
