package pebble

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/internal/watch"
	"github.com/activepebbles/pebbles/netio/sim"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// Options are the flags that programs share: see [Flags]. They are valid once the flags have been parsed, for any
// goroutine.
type Options struct {
	Explain bool   // -explain: report the plan of the first epoch, or of the one that Config.ExplainMarked selects
	Seed    uint64 // -seed: seed of all random numbers of the program; 1 unless the flag is given

	// Change, if not nil, changes the configuration of the flags before Config returns it and Main runs the job. All
	// processes of a job must change it alike.
	Change func(c *Config)

	config    Config
	simulated network     // none unless -network was given
	json      bool        // -json was given
	heeded    atomic.Bool // the program has called JSON or printed a report
	via       string
	fabric    fabric
	tuning    Tuning
	verbose   bool
	tls       bool
}

// fabric holds the flags of libfabric.
type fabric struct {
	provider string
	pinned   int64
	insecure bool
}

var connects = []string{"all", "need"}

var vias = []string{"auto", "mem", "shm", "ofi", "tcp"}

// Flags adds the flags of jobs to fs: ranks, transport, connect, provider, pinned, insecure, topology, coalesce, cache,
// address-cache, page-cache, credits, termination, due, period, memory, http, http-pprof, record, trace, stall,
// stall-exit, checkpoint, checkpoint-every, checkpoint-zstd, time-limit, alone, seed, network, json, explain and
// verbose. The command pebbles takes the same flags for its applications, and lists them in its help pages. Invalid
// values are refused when the flags are parsed. [flag.Usage] lists the flags of flag.CommandLine for -h only; after a
// mistake, one line refers to it.
//
//	options := pebble.Flags(flag.CommandLine)
//	flag.Parse()
//	options.Main(os.Stdout, func(r *pebble.Rank) error { ... })
func Flags(fs *flag.FlagSet) *Options {
	o := &Options{Seed: 1, via: "auto", config: Config{Due: dueDefault, AddressCache: AddressCacheDefault}}
	o.network(fs)
	o.buffers(fs)
	o.watch(fs)
	o.checkpoints(fs)
	fs.BoolVar(&o.config.Alone, "alone", false, "run as a job of its own, even if a launcher such as mpirun started "+
		"several processes")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of all random numbers")
	fs.Var(value{func() string { return o.simulated.name }, o.simulated.load}, "network",
		"simulate the job, on 2 ranks unless -ranks is given, over the network of this `name`: "+
			strings.Join(sim.Names(), ", ")+", or of a file")
	fs.BoolVar(&o.json, "json", false, "print one JSON object instead of text")
	fs.BoolVar(&o.Explain, "explain", false, "print the buffers and messages of the job, without running it")
	fs.BoolVar(&o.verbose, "verbose", false, "log all events")
	if fs == flag.CommandLine {
		fs.Usage = func() { printUsage(fs) }
	}
	return o
}

// network adds the flags for ranks, their transport, their topology, and the end of an epoch.
func (o *Options) network(fs *flag.FlagSet) {
	c := &o.config
	topology, detector := "direct", "auto"
	fs.Var(counted(&c.Ranks), "ranks", "`N` ranks in the whole job (default one per core, at least one per "+
		"process; a launcher's setting takes precedence)")
	fs.Var(named(&o.via, func(text string) error { return values.OneOf(text, vias) }), "transport",
		"`name` of the transport: "+strings.Join(vias, ", "))
	fs.StringVar(&o.fabric.provider, "provider", "", "`name` of the libfabric provider, for transport ofi or "+
		"auto: verbs, efa, cxi, tcp, shm (default the first with hardware)")
	fs.Var(sized(&o.fabric.pinned, 0), "pinned", "memory that libfabric may register per process, a `size` "+
		"such as 64MiB (default half of the memory, and at most ulimit -l)")
	fs.BoolVar(&o.fabric.insecure, "insecure", false, "allow libfabric providers that listen on the open network")
	fs.BoolVar(&o.tls, "tls", false, "encrypt all connections over TCP by TLS 1.3")
	fs.Var(named(&c.Connect, func(text string) error { return values.OneOf(text, connects) }), "connect",
		"`when` processes connect: all at the start, or need, at the first frame between two (default need above 64 "+
			"processes)")
	fs.Var(named(&topology, func(text string) (err error) {
		if o.tuning.Topology = text == values.Auto; !o.tuning.Topology {
			c.Topology, err = route.ByName(text)
		}
		return err
	}), "topology", "`name` of the topology that routes pebbles: "+strings.Join(route.Names(), ", ")+
		", auto; also "+route.Forms)
	fs.Var(named(&detector, func(text string) (err error) {
		c.Termination, err = termination.ByName(text)
		return err
	}), "termination", "`name` of the termination detector: "+strings.Join(termination.Names(), ", "))
}

// buffers adds the flags of buffers, caches and memory.
func (o *Options) buffers(fs *flag.FlagSet) {
	c := &o.config
	fs.Var(tuned(&c.Coalesce, &o.tuning.Coalesce, 1, coalesce.FactorDefault), "coalesce", "coalescing factor: "+
		"at most `N` pebbles per buffer, or auto; unless given, at most as many as fit in 128 KiB")
	fs.Var(tuned(&c.Cache, &o.tuning.Cache, 0, 0), "cache", "reduction cache of `N` entries, 0 for none, or auto")
	fs.Var(value{func() string { return strconv.Itoa(max(0, c.AddressCache)) }, func(text string) error {
		n, err := values.Count(text, 0)
		if err != nil {
			return err
		}
		if c.AddressCache = n; n == 0 {
			c.AddressCache = -1
		}
		return values.CheckAddressCache(n)
	}}, "address-cache", "address cache of `N` remote arrays and objects per process, 0 for none")
	fs.Var(sized(&c.PageCache, PageCacheDefault), "page-cache", "memory for copies and twins of shared pages per "+
		"rank, a `size` such as 64MiB")
	fs.Var(counted(&c.Credits), "credits", "at most `N` frames in flight to each neighbour (default as many as fit "+
		"in 512 KiB, 8 to 128)")
	fs.Var(waiting(&c.Due), "due", "maximum `time` that a pebble waits in a buffer, or never")
	fs.Var(waiting(&c.Period), "period", "flush all buffers of a rank after this `time` without traffic, or never")
	fs.Var(sized(&c.MemoryLimit, 0), "memory", "memory for pebbles that wait or travel per rank, a `size` such as "+
		"64MiB (default a share of the free memory)")
}

// watch adds the flags for the observation of a job.
func (o *Options) watch(fs *flag.FlagSet) {
	w := &o.config.Watch
	fs.Var(value{func() string { return values.WaitText(cmp.Or(w.Stall, watch.StallDefault)) },
		func(text string) (err error) {
			w.Stall, err = values.Wait(text)
			return err
		}}, "stall", "report which ranks wait for what after this `time` without progress, or never")
	fs.StringVar(&w.HTTP, "http", "", "serve a page that shows the job, and metrics, at this `address`: 8080, or "+
		"HOST:8080 (default none)")
	fs.BoolVar(&w.Pprof, "http-pprof", false, "serve Go's profiles on that page")
	fs.StringVar(&w.Record, "record", "", "write a record of the job to this `folder`, for pebbles report (default none)")
	fs.StringVar(&w.Trace, "trace", "", "write a trace of each rank to this `file`, for Perfetto (default none)")
	fs.BoolVar(&w.StallExit, "stall-exit", false, "end a job without progress after that time, with status 76")
}

// printUsage lists the flags if the command line asks for help. Otherwise a flag was wrong: one line refers to -h.
func printUsage(fs *flag.FlagSet) {
	if launch.AskedForHelp(fs.NArg()) {
		flag.Usage()
		return
	}
	fmt.Fprintln(fs.Output(), "-h lists the flags")
}

// Config returns the configuration of the flags, changed by Change. Its Explain writes to out, in the format that -json
// selects. Flags that exclude each other are an error.
func (o *Options) Config(out io.Writer) (Config, error) {
	c := o.config
	started := launch.Started(c.Alone)
	switch {
	case o.via == "mem" && started:
		return c, errors.New("-transport mem stays in one process: leave it out under a launcher, or add -alone")
	case o.fabric != (fabric{}) && o.via != "ofi" && o.via != "auto":
		return c, fmt.Errorf("-provider, -pinned and -insecure are for libfabric: say -transport ofi or auto, not "+
			"%s", o.via)
	case o.tls && (o.fabric != (fabric{}) || o.via == "ofi" || o.via == "mem"):
		return c, errors.New("-tls encrypts TCP: leave it out with -transport mem or ofi and the flags of libfabric")
	case o.tls && !started:
		return c, errors.New("-tls is for jobs of several processes: start the program by pebbles run -n 2")
	case strings.Contains(o.fabric.provider, ":"):
		return c, fmt.Errorf("-provider %s: the name of a provider has no colon", o.fabric.provider)
	case o.simulated.name != "" && (o.via != "auto" || o.fabric != (fabric{})):
		return c, errors.New("-network simulates the network: leave -transport and the flags of libfabric out")
	case (o.via == "shm" || o.via == "tcp" || o.via == "ofi") && !started:
		return c, fmt.Errorf("-transport %s connects processes: start the program by pebbles run -n 2", o.via)
	case o.via != "auto" && o.via != "mem" || o.fabric != (fabric{}) || o.tls:
		via := launch.Via{
			Transport: o.via, Provider: o.fabric.provider, Pinned: o.fabric.pinned, Insecure: o.fabric.insecure, TLS: o.tls,
		}
		c.Via = via.String()
	}
	if t := o.tuning; t.Topology || t.Coalesce || t.Cache {
		c.Tuning = &t
	}
	if o.Explain {
		c.Explain = func(e Explanation) { _ = o.write(out, e) }
	}
	if o.verbose {
		c.Log = slog.New(slog.NewTextHandler(launch.Stderr(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	if o.Change != nil {
		o.Change(&c)
	}
	return c, nil
}

// JSON reports whether -json was given: then the program prints one JSON object, as Print does.
func (o *Options) JSON() bool {
	o.heeded.Store(true)
	return o.json
}

// Main is [Main] with the configuration of the flags; with -network, it runs the job in a simulated world. A function
// that ends with ErrExplained succeeds. A program that ignores -json, because it has neither printed a report nor
// called JSON, fails at its end. Flags that exclude each other end the process with status 2.
func (o *Options) Main(out io.Writer, function func(*Rank) error) {
	config, err := o.Config(out)
	switch {
	case err != nil:
		fmt.Fprintln(launch.Stderr(), err)
		launch.Exit(launch.ExitPanic)
	case o.simulated.name != "":
		launch.Exit(WriteError(launch.Stderr(), o.simulated.run(config, o.Seed, o.heeding(function))))
	}
	Main(config, o.heeding(function))
}

// heeding wraps the program's function to report flags that it ignores.
func (o *Options) heeding(function func(*Rank) error) func(*Rank) error {
	return func(r *Rank) error {
		err := function(r)
		switch {
		case errors.Is(err, ErrExplained):
			return nil
		case err == nil && r.ID() == 0 && o.json && !o.heeded.Load():
			return errors.New("pebble: -json: the program has printed no report: leave the flag out")
		}
		return err
	}
}

// value is one flag. Until it is set, its text is that of the default.
type value struct {
	text func() string
	set  func(string) error
}

func (v value) Set(text string) error { return v.set(text) }

// String must serve the zero value too, for package flag.
func (v value) String() string {
	if v.text == nil {
		return ""
	}
	return v.text()
}

// named returns a flag whose value is a word that check accepts or refuses.
func named(word *string, check func(string) error) value {
	return value{func() string { return *word }, func(text string) error {
		*word = text
		return check(text)
	}}
}

// counted returns a flag whose value is a number from 1 on. 0 is the default, which the usage text describes.
func counted(n *int) value {
	return value{func() string { return strings.TrimPrefix(strconv.Itoa(*n), "0") }, func(text string) (err error) {
		*n, err = values.Count(text, 1)
		return err
	}}
}

// tuned returns a flag whose value is a number from least on, or auto: the job finds the number. While the number is 0,
// the text shows standard.
func tuned(n *int, auto *bool, least, standard int) value {
	return value{func() string {
		if *auto {
			return values.Auto
		}
		return strconv.Itoa(cmp.Or(*n, standard))
	}, func(text string) error {
		read, is, err := values.CountOrAuto(text, least)
		if *auto = is; err == nil && !is {
			*n = read
		}
		return err
	}}
}

// sized returns a flag whose value is a number of bytes. While it is 0, the text shows standard, or nothing.
func sized(n *int64, standard int64) value {
	return value{func() string {
		if cmp.Or(*n, standard) == 0 {
			return ""
		}
		return exact(cmp.Or(*n, standard))
	}, func(text string) (err error) {
		*n, err = values.Bytes(text)
		return err
	}}
}

// exact formats a number of bytes with a unit if that loses nothing.
func exact(n int64) string {
	text := values.BytesText(n)
	if back, err := values.Bytes(text); err != nil || back != n {
		return strconv.FormatInt(n, 10)
	}
	return text
}

// waiting returns a flag whose value is a time, or never: 0 and below.
func waiting(d *time.Duration) value {
	return value{func() string { return values.WaitText(cmp.Or(*d, -1)) }, func(text string) (err error) {
		*d, err = values.Wait(text)
		return err
	}}
}
