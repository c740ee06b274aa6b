package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
	"github.com/activepebbles/pebbles/tune"
)

// autos marks the settings that are auto: the job finds them itself.
type autos struct{ Topology, Coalesce, Cache bool }

// settings are the flags that all applications share: those of every program of the library, and those of the command.
type settings struct {
	*pebble.Options
	runtime    *flag.FlagSet // flag set of Options
	spread     Spread
	log        logFlags
	transport  string        // as given, valid after read
	parameters string        // of which machine; "" is this one
	known      *tune.Setting // initial setting from a profile; nil without one
	firstCache int           // initial size of an auto cache, without a profile
	profile    string        // file from pebbles tune
}

// Transports are the names of the transports. All but the first connect processes.
var Transports = []string{"mem", connect.ByShm, connect.ByOFI, connect.ByTCP, connect.ByAuto}

// register adds the flags to a command.
func (s *settings) register(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	addHelpAll(c)
	s.Options, s.runtime = runtimeFlags()
	s.addRuntime(c, "ranks")
	f.Var(Count(&s.spread.Processes, 1, "1, or one a host or slot"), "procs", "processes that this command starts")
	s.spread.Register(c)
	s.addRuntime(c, "transport", "tls", "connect", "provider", "pinned", "insecure", "topology", "coalesce", "credits",
		"cache", "address-cache", "page-cache", "termination", "memory", "due", "period",
		"http", "http-pprof", "record", "trace", "stall", "stall-exit", "checkpoint",
		"checkpoint-every", "checkpoint-copy", "checkpoint-zstd", "time-limit", "seed", "json", "explain")
	f.StringVar(&s.profile, "profile", "", "use topology, coalescing factor and cache of this `file` of pebbles tune, "+
		"unless flags give them")
	s.log.register(c)
	for name, words := range map[string][]string{
		"transport": Transports, "connect": {"all", "need"}, "topology": append(route.Names(), values.Auto),
		"termination": termination.Names(),
		"coalesce":    {values.Auto}, "cache": {values.Auto}, "due": {"never"}, "period": {"never"}, "stall": {"never"},
		"checkpoint-every": {"never"}, "time-limit": {"never"},
	} {
		Completes(c, name, cobra.ShellCompDirectiveNoFileComp, words...)
	}
}

// runtimeFlags returns the flags of package pebble, in their own set.
func runtimeFlags() (*pebble.Options, *flag.FlagSet) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	return pebble.Flags(fs), fs
}

// addRuntime adds some of the runtime's flags, in this order.
func (s *settings) addRuntime(c *cobra.Command, names ...string) {
	for _, name := range names {
		c.Flags().AddGoFlag(s.runtime.Lookup(name))
	}
}

// text returns the value of a runtime flag.
func (s *settings) text(name string) string { return s.runtime.Lookup(name).Value.String() }

// number returns the value of a runtime flag as a number, or 0 if it is no number.
func (s *settings) number(name string) int {
	n, _ := strconv.Atoi(s.text(name))
	return n
}

// bytes returns the value of a runtime flag as a size, or 0 if it was not given.
func (s *settings) bytes(name string) int64 {
	n, _ := values.Bytes(s.text(name))
	return n
}

// autos returns the runtime flags that are auto.
func (s *settings) autos() autos {
	is := func(name string) bool { return s.text(name) == values.Auto }
	return autos{is("topology"), is("coalesce"), is("cache")}
}

// read copies the launcher's settings from the parsed runtime flags.
func (s *settings) read() {
	s.transport, s.spread.Ranks = s.text("transport"), s.number("ranks")
}

// check rejects flags that cannot be combined. member means that a launcher has started this process.
func (s *settings) check(member bool) error {
	if err := s.log.check(); err != nil {
		return err
	}
	if err := s.spread.Check(); err != nil {
		return err
	}
	several := s.spread.Several() || member
	if err := s.checkNetwork(); err != nil {
		return err
	}
	switch {
	case s.encrypts() && !several:
		return errors.New("--tls is for jobs of several processes: add --procs 2 or more, or --hosts")
	case s.transport == "mem" && several:
		return errors.New("--transport mem stays in one process: " +
			"leave out --procs and --hosts, or use --transport tcp or shm")
	case s.connects() && !several:
		return fmt.Errorf("--transport %s connects processes: add --procs 2 or more, or --hosts", s.transport)
	case s.spread.bind != "" && !several:
		return errors.New("--bind is for jobs of several processes: add --procs 2 or more, or --hosts")
	case s.spread.start.time+s.spread.silence.time > 0 && !several:
		return errors.New("--start-limit and --silence-limit are for jobs of several processes: add --procs 2 or more, " +
			"or --hosts")
	case s.spread.restarts > 0 && !several:
		return errors.New("--restart is for jobs of several processes: add --procs 2 or more, or --hosts")
	case member:
		return nil // the launcher sets the number of ranks
	}
	return s.spans(s.ranks())
}

// resumable are the applications that make checkpoints, with the end of a sentence of their help.
var resumable = map[string]string{
	"bfs":        "modes level and direction save parents and distances between levels.",
	"components": "method hook saves the trees that it has joined, between rounds.",
	"contagion":  "people, locations and counts are saved between days.",
	"kmers": "counts are saved between batches of reads, with --filter in the second pass.\n" +
		"A job that goes on reads all files again, and passes over the reads that have been counted.",
	"nbody":    "particles are saved between steps.",
	"pagerank": "scores are saved between iterations.",
	"sort":     "rows are saved when they have been read, and when they have been sorted.",
}

// checkpoints refuses a folder for checkpoints where an application makes none.
func (s *settings) checkpoints(application string) error {
	if s.text("checkpoint") == "" || resumable[application] != "" {
		return nil
	}
	return fmt.Errorf("--checkpoint: %s makes no checkpoints; these do: %s", application,
		strings.Join(slices.Sorted(maps.Keys(resumable)), ", "))
}

// fabric returns the flags for libfabric.
func (s *settings) fabric() fabric {
	return fabric{s.text("provider"), s.bytes("pinned"), s.text("insecure") == "true"}
}

// via returns the way to connect processes, in the launcher's form for them.
func (s *settings) via() string {
	f := s.fabric()
	via := launch.Via{
		Transport: s.transport, Provider: f.provider, Pinned: f.pinned, Insecure: f.insecure, TLS: s.encrypts(),
	}
	return via.String()
}

// checkNetwork rejects flags that do not fit the transport.
func (s *settings) checkNetwork() error {
	f := s.fabric()
	if s.encrypts() && (f != (fabric{}) || s.transport == connect.ByOFI) {
		return errors.New("--tls encrypts TCP, not libfabric: leave out --transport ofi, --provider, --pinned and --insecure")
	}
	return f.check(s.transport)
}

// encrypts reports whether connections must be encrypted.
func (s *settings) encrypts() bool { return s.text("tls") == "true" }

// connects reports whether the flags name a transport that connects processes.
func (s *settings) connects() bool {
	return s.transport != "mem" && (s.transport != connect.ByAuto || s.text("provider") != "")
}

// spans rejects a topology that cannot connect the given number of ranks.
func (s *settings) spans(ranks int) (err error) {
	topology, err := s.start()
	if err != nil {
		return err
	}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case string:
			err = fmt.Errorf("--topology %s: %s", s.text("topology"), why)
		default:
			panic(why)
		}
	}()
	topology(ranks)
	return nil
}

// ranks returns the number of ranks of the job, unless a launcher decides.
func (s *settings) ranks() int {
	switch {
	case s.spread.Ranks > 0:
		return s.spread.Ranks
	case s.spread.OnHosts():
		return s.spread.count()
	}
	return launch.RanksHere(s.spread.count())
}

// config translates the flags for the runtime.
func (s *settings) config(log *slog.Logger) (pebble.Config, error) {
	if !launch.Started(s.spread.Alone) { // this process alone, or a simulation: no processes to connect
		_ = s.runtime.Set("transport", connect.ByAuto)
	}
	c, err := s.Config(io.Discard)
	if err != nil {
		return c, err
	}
	if c.Topology, err = s.start(); err != nil {
		return c, err
	}
	auto := s.autos()
	if auto.Cache {
		c.Cache = s.firstCache
	}
	if auto.Coalesce && s.known != nil {
		c.Coalesce = s.known.Coalesce
	}
	if auto.Cache && s.known != nil {
		c.Cache = s.known.Cache
	}
	c.Ranks, c.Alone, c.Tuning, c.Log, c.Explain = s.ranks(), s.spread.Alone, s.tuning(log), log, nil
	c.ExplainMarked = true // applications prepare
	return c, nil
}

// fits checks the flags against the job that the launcher has started. Only rank 0 reports errors of all ranks.
func (s *settings) fits(r *pebble.Rank) error {
	if err := s.spans(r.Size()); err != nil {
		return err
	}
	switch place := r.Place(); {
	case r.ID() != 0:
		return nil
	case s.spread.Ranks > 0 && s.spread.Ranks != place.Ranks:
		return fmt.Errorf("--ranks %d, but the job was started with %d: give --ranks to its launcher", s.spread.Ranks,
			place.Ranks)
	case s.spread.counted() && s.spread.count() != place.Processes:
		return fmt.Errorf("--procs %d, but the job was started with %d processes: leave out --procs", s.spread.count(),
			place.Processes)
	}
	return nil
}

// start returns the initial topology of the job.
func (s *settings) start() (route.Constructor, error) {
	if !s.autos().Topology {
		return route.ByName(s.text("topology"))
	}
	if s.known != nil {
		return route.ByName(s.known.Topology)
	}
	return route.Direct, nil
}

// knows reports whether a setting equals the profile's in all auto flags.
func (s *settings) knows(now tune.Setting) bool {
	auto := s.autos()
	return s.known != nil && (!auto.Topology || now.Topology == s.known.Topology) &&
		(!auto.Coalesce || now.Coalesce == s.known.Coalesce) && (!auto.Cache || now.Cache == s.known.Cache)
}

// logFlags are the flags of the log, which goes to standard error.
type logFlags struct {
	verbose bool
	quiet   bool
	format  Word
}

var logFormats = []string{"text", "json"}

func (l *logFlags) register(c *cobra.Command) {
	c.Flags().BoolVarP(&l.verbose, "verbose", "v", false, "log all events, not only warnings")
	c.Flags().BoolVarP(&l.quiet, "quiet", "q", false, "log errors only, and show no progress")
	Words(c, &l.format, "log-format", "text", logFormats, "log format")
}

func (l *logFlags) check() error {
	if l.verbose && l.quiet {
		return errors.New("--verbose and --quiet don't go together: choose one")
	}
	return nil
}

func (l *logFlags) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: slog.LevelWarn}
	switch {
	case l.verbose:
		options.Level = slog.LevelDebug
	case l.quiet:
		options.Level = slog.LevelError
	}
	if l.format.Text == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// fabric holds the flags for libfabric.
type fabric struct {
	provider string
	pinned   int64
	insecure bool
}

// check checks the flags for a transport.
func (f fabric) check(transport string) error {
	switch {
	case f != (fabric{}) && transport != connect.ByOFI && transport != connect.ByAuto:
		return fmt.Errorf("--provider, --pinned and --insecure are for libfabric: say --transport %s or %s, not %s",
			connect.ByOFI, connect.ByAuto, transport)
	case strings.Contains(f.provider, ":"):
		return fmt.Errorf("--provider %s: the name of a provider has no colon", f.provider)
	}
	return nil
}
