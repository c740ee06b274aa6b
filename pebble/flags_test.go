package pebble_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/apps/appstest"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/reduce"
	"github.com/activepebbles/pebbles/target"
)

// given parses a program's command line.
func given(args ...string) (*pebble.Options, *flag.FlagSet, error) {
	fs := flag.NewFlagSet("program", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o := pebble.Flags(fs)
	return o, fs, fs.Parse(args)
}

// configured returns the configuration of a command line.
func configured(t *testing.T, args ...string) (*pebble.Options, pebble.Config) {
	t.Helper()
	o, _, err := given(args...)
	require.NoError(t, err)
	c, err := o.Config(io.Discard)
	require.NoError(t, err)
	return o, c
}

func TestFlagsReachTheConfiguration(t *testing.T) {
	o, c := configured(t, "-ranks", "5", "-topology=mesh:2", "-coalesce", "64", "-cache=0", "-address-cache=0",
		"-credits=9", "-due=never", "-period", "3ms", "-memory=64MiB", "-termination=pcx", "-alone", "-seed=7", "-json",
		"-transport=mem", "-verbose")
	require.Equal(t, "mesh:2", c.Topology(5).Name()[:6])
	require.NotNil(t, c.Termination)
	require.NotNil(t, c.Log)
	c.Topology, c.Termination, c.Log = nil, nil, nil
	require.Equal(t, pebble.Config{Ranks: 5, Coalesce: 64, AddressCache: -1, Credits: 9, Due: -1,
		Period: 3 * time.Millisecond, MemoryLimit: 64 << 20, Alone: true}, c)
	require.EqualValues(t, 7, o.Seed)
	require.True(t, o.JSON())

	// Without flags, a job has the zero configuration.
	o, c = configured(t)
	require.Equal(t, pebble.Config{Due: time.Millisecond, AddressCache: pebble.AddressCacheDefault}, c)
	require.EqualValues(t, 1, o.Seed)

	_, c = configured(t, "-topology=auto", "-cache", "auto", "-coalesce=auto")
	require.Equal(t, &pebble.Tuning{Topology: true, Coalesce: true, Cache: true}, c.Tuning)
	_, c = configured(t, "-topology=auto", "-topology=ring") // the last one counts
	require.Nil(t, c.Tuning)
	require.Equal(t, "ring", c.Topology(3).Name())

	// The flags of libfabric have an effect without a provider, too.
	for args, want := range map[string]string{
		"": "", "-pinned=1MiB": "auto::pinned=1048576", "-insecure": "auto::insecure",
		"-provider=verbs -pinned=2MiB": "auto:verbs:pinned=2097152",
	} {
		_, c := configured(t, strings.Fields(args)...)
		require.Equal(t, want, c.Via, args)
	}
}

// Change has the last word, and Main runs by the result of Config.
func TestFlagsChange(t *testing.T) {
	o, _, err := given("-ranks=3")
	require.NoError(t, err)
	o.Change = func(c *pebble.Config) {
		require.Equal(t, 3, c.Ranks)
		c.Grace = time.Second
	}
	c, err := o.Config(io.Discard)
	require.NoError(t, err)
	require.Equal(t, time.Second, c.Grace)
}

// A wrong flag is reported in one line, and a second one refers to -h, which lists all flags.
func TestUsage(t *testing.T) {
	args, flags := os.Args, flag.CommandLine
	defer func() { os.Args, flag.CommandLine = args, flags }()
	said := func(line ...string) string {
		var out bytes.Buffer
		os.Args = append([]string{"program"}, line...)
		flag.CommandLine = flag.NewFlagSet("program", flag.ContinueOnError)
		flag.CommandLine.SetOutput(&out)
		pebble.Flags(flag.CommandLine)
		require.Error(t, flag.CommandLine.Parse(os.Args[1:]))
		return out.String()
	}
	require.Equal(t, "flag provided but not defined: -rank\n-h lists the flags\n", said("-rank", "4"))
	wrong := said("-seed", "4", "-ranks=0", "more")
	require.Contains(t, wrong, "must be a whole number, 1 or more\n-h lists the flags\n")
	require.Equal(t, 2, strings.Count(wrong, "\n"))
	for _, help := range []string{"-h", "--help"} {
		all := said("-seed", "4", help, "more")
		require.Contains(t, all, "-topology name")
		require.NotContains(t, all, "lists the flags")
	}
}

func TestFlagsThatCantBeAreRefused(t *testing.T) {
	for args, want := range map[string]string{
		"-ranks=0":            "must be a whole number, 1 or more",
		"-ranks=many":         "must be a whole number, 1 or more",
		"-coalesce=0":         "must be a whole number, 1 or more, or auto",
		"-cache=-1":           "must be a whole number, 0 or more, or auto",
		"-address-cache=x":    "must be a whole number, 0 or more",
		"-address-cache=1001": "an address cache of 1001: at most 1,000",
		"-credits=1.5":        "must be a whole number, 1 or more",
		"-topology=cube":      `unknown topology "cube": use one of direct`,
		"-termination=no":     "skr",
		"-transport=udp":      "use one of auto, mem, shm, ofi, tcp",
		"-due=0":              "must be a positive time such as 500us or 2ms, or never",
		"-period=-2s":         "must be a positive time",
		"-memory=lots":        "must be a positive number of bytes",
		"-memory=9999999999G": "value out of range",
		"-seed=-1":            "parse error",
	} {
		_, _, err := given(args)
		require.ErrorContains(t, err, want, args)
	}
	for args, want := range map[string]string{
		"-transport=tcp":                 "-transport tcp connects processes: start the program by pebbles run -n 2",
		"-tls":                           "-tls is for jobs of several processes",
		"-tls -transport=mem":            "-tls encrypts TCP",
		"-tls -provider=verbs":           "-tls encrypts TCP",
		"-transport=mem -insecure":       "-provider, -pinned and -insecure are for libfabric",
		"-transport=tcp -provider=verbs": "-provider, -pinned and -insecure are for libfabric",
	} {
		o, _, err := given(strings.Fields(args)...)
		require.NoError(t, err)
		_, err = o.Config(io.Discard)
		require.ErrorContains(t, err, want)
	}
}

// Help shows each flag with the job's default.
func TestFlagsHelp(t *testing.T) {
	_, fs, err := given()
	require.NoError(t, err)
	var help bytes.Buffer
	fs.SetOutput(&help)
	fs.PrintDefaults()
	for _, want := range []string{"-ranks N\n", "(default one per core, at least one per process; ",
		"-coalesce N\n", "as many as fit in 128 KiB (default 1024)\n",
		"-topology name\n", "-due time\n", "or never (default 1ms)\n", "-memory size\n", "-explain\n", "-seed uint\n"} {
		require.Contains(t, help.String(), want)
	}
}

// spread is a program that counts numbers at the owners of their keys.
func spread(r *pebble.Rank) (pebble.Report, error) {
	sum := uint64(0)
	add := target.New(r, "add", distribution.Ranks(r.Size()),
		target.Key(func(v uint64) uint64 { return v % uint64(r.Size()) }),
		target.Each(func(v uint64) { sum += v }), target.Reduce(reduce.Duplicates[uint64]()))
	report, err := pebble.Measure(r, func() error {
		return epoch(r, func() {
			for i := range uint64(1000) {
				add.Send(i)
			}
		})
	})
	if err != nil {
		return report, err
	}
	report.Result, err = pebble.AllReduce(r, sum, pebble.Sum)
	return report, err
}

func TestMeasure(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		o, _ := configured(t, "-json")
		var out bytes.Buffer
		job(t, pebble.Config{Ranks: ranks, Coalesce: 50}, func(r *pebble.Rank) error {
			report, err := spread(r)
			if err != nil || r.ID() != 0 {
				return err
			}
			return o.Print(&out, report)
		})
		var got pebble.Report
		require.NoError(t, json.Unmarshal(out.Bytes(), &got), out.String())
		require.Positive(t, got.Seconds)
		require.Equal(t, ranks > 1, got.MemoryPeak > 0)
		require.EqualValues(t, 1000*ranks, got.Counters.PebblesSent)
		require.EqualValues(t, 1000*ranks, got.Counters.PebblesHandled)
		require.EqualValues(t, 1, got.Counters.Epochs)
		require.EqualValues(t, float64(ranks)*499500, got.Result)
		require.Equal(t, []string{"cache", "coalesce", "topology"}, got.Settles)
		got.Seconds, got.MemoryPeak, got.Counters, got.Result, got.Settles = 0, 0, pebble.Counters{}, nil, nil
		require.Equal(t, pebble.Report{Ranks: ranks, Procs: 1, Transport: "mem", Topology: "direct", Coalesce: 50,
			Termination: "skr"}, got)
		require.Equal(t, 1, strings.Count(out.String(), "\n"))
	}
}

// A wrong result is printed, and fails the job.
func TestPrintOfErrors(t *testing.T) {
	for _, flag := range []string{"-json", "-json=false"} {
		o, _ := configured(t, flag)
		var out bytes.Buffer
		require.EqualError(t, o.Print(&out, pebble.Report{Errors: 7}),
			"pebble: the result is wrong: the program's report has 7 errors")
		require.Contains(t, out.String(), "7")
		require.NoError(t, o.Print(&out, pebble.Report{}))
	}
}

// Settings that the job can't change on any target are not in Settles.
func TestMeasureOfSettledTargets(t *testing.T) {
	job(t, pebble.Config{Ranks: 2}, func(r *pebble.Rank) error {
		byRank(r, "own", ignore, target.Coalesce(5))
		report, err := pebble.Measure(r, func() error { return idle(r) })
		if err == nil && (len(report.Settles) != 1 || report.Settles[0] != "topology") {
			err = errors.New(strings.Join(report.Settles, ", "))
		}
		return err
	})
}

// The simulator runs the same program, as a transport.
func TestMeasureInASimulation(t *testing.T) {
	network, err := sim.Load("flat")
	require.NoError(t, err)
	seconds := map[float64]bool{}
	for range 2 {
		world := sim.Config{Ranks: 16, Network: network, Seed: 1}
		require.NoError(t, appstest.Simulate(t, world, pebble.Config{}, func(r *pebble.Rank) error {
			report, err := spread(r)
			if r.ID() == 0 {
				seconds[report.Seconds] = true
			}
			return err
		}))
	}
	require.Len(t, seconds, 1, "a simulation takes the same time each time")
}

// flagged is a program whose arguments are in a variable.
func flagged() error {
	o, _, err := given(strings.Fields(os.Getenv("PEBBLE_TEST_ARGS"))...)
	if err != nil {
		return err
	}
	o.Main(os.Stdout, func(r *pebble.Rank) error {
		report, err := spread(r)
		if err != nil || r.ID() != 0 {
			return err
		}
		return o.Print(os.Stdout, report)
	})
	return nil
}

func TestFlagsMain(t *testing.T) {
	for args, want := range map[string]string{
		"-transport=tcp":     `"transport":"tcp"`,
		"-transport=shm":     `"procs":3`,
		"-topology=ring":     `"topology":"ring"`,
		"-explain":           `{"ranks":5,"procs":3,`,
		"-transport=mem":     "-transport mem stays in one process: leave it out under a launcher, or add -alone",
		"-ranks=4":           "4 ranks, but the job was started with 5",
		"-topology=mesh:2x2": "mesh",
	} {
		t.Setenv("PEBBLE_TEST_ARGS", "-json "+args)
		status, said := play(t, "flagged", 3, 5)
		require.Contains(t, said, want)
		switch {
		case args == "-explain":
			require.NotContains(t, said, "seconds")
			require.Zero(t, status, said)
		case strings.Contains(want, `"`):
			require.Contains(t, said, `"pebbles_handled":5000`)
			require.Zero(t, status, said)
		case args == "-transport=mem":
			require.Equal(t, launch.ExitPanic, status)
		default:
			require.Equal(t, launch.ExitError, status)
		}
	}
}

// careless is a program without support for -json, explanations or simulations. Its argument selects whether it runs
// epochs.
func careless() error {
	o, fs, err := given(strings.Fields(os.Getenv("PEBBLE_TEST_ARGS"))...)
	if err != nil {
		return err
	}
	o.Main(os.Stdout, func(r *pebble.Rank) error {
		hit := byRank(r, "hit", func(uint64) {})
		if fs.Arg(0) == "collectives" {
			return r.Barrier()
		}
		if err := r.Epoch(func() error { hit.Send(0); return nil }); err != nil {
			return err
		}
		fmt.Printf("done over %s by %d ranks\n", r.Transport(), r.Size())
		return nil
	})
	return nil
}

// No flag is ignored silently.
func TestFlagsThatProgramsIgnore(t *testing.T) {
	for args, want := range map[string]struct {
		said, not string
		status    int
	}{
		"-ranks=3":                {said: "done over mem by 3 ranks"},
		"-ranks=3 -explain":       {said: `target "hit": direct topology`, not: "done"},
		"-ranks=3 -explain -json": {said: `"targets":[{"name":"hit",`, not: "done"},
		"-ranks=3 -json": {said: "-json: the program has printed no report: leave the flag out",
			status: launch.ExitError},
		"-explain collectives": {said: "the program began no epoch that could be explained",
			status: launch.ExitError},
		"-network=flat":                {said: "done over sim by 2 ranks"},
		"-network=odin -ranks=1":       {said: "done over sim by 1 ranks"},
		"-network=flat -explain":       {said: `target "hit": direct topology`, not: "done"},
		"-network=flat -json":          {said: "-json: the program has printed no report", status: launch.ExitError},
		"-network=flat -transport=mem": {said: "leave -transport and the flags of libfabric out", status: launch.ExitPanic},
		"-network=nowhere":             {said: "nowhere", status: launch.ExitError},
	} {
		program := exec.Command(os.Args[0])
		program.Env = append(os.Environ(), roleVariable+"=careless", "PEBBLE_TEST_ARGS="+args)
		said, err := program.CombinedOutput()
		require.Equal(t, want.status, program.ProcessState.ExitCode(), "%s: %s, %v", args, said, err)
		require.Contains(t, string(said), want.said, args)
		if want.not != "" {
			require.NotContains(t, string(said), want.not, args)
		}
	}
}
