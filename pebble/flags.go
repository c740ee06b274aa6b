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

// Options are the flags that programs have in common: see [Flags]. They are good once the flags have been parsed, for
// any goroutine.
type Options struct {
	Explain bool   // -explain: the job says what its first epoch would do, or the one that Config.ExplainMarked is for
	Seed    uint64 // -seed: of everything random in the program; 1 unless the flag is given

	// Change, when not nil, changes what the flags say before Config returns it and Main runs the job by it. All
	// processes of a job must change it alike.
	Change func(c *Config)

	config    Config
	simulated network     // a simulated one
	json      bool        // -json was given
	heeded    atomic.Bool // the program has asked for that, or has printed
	via       string
	fabric    fabric
	tuning    Tuning
	verbose   bool
	tls       bool
}

// fabric is how libfabric is used.
type fabric struct {
	provider string
	pinned   int64
	insecure bool
}

var vias = []string{"auto", "mem", "shm", "ofi", "tcp"}

// Flags adds the flags of jobs to those of a program: ranks, transport, provider, pinned, insecure, topology, coalesce,
// cache, address-cache, page-cache, credits, termination, due, period, memory, http, http-pprof, record, trace, stall,
// stall-exit, checkpoint, checkpoint-every, checkpoint-zstd, time-limit, alone, seed, network, json, explain and verbose. The command pebbles takes the same flags for its
// applications, and its pages of help list them. Values that can't be are refused when the flags are parsed. Those of
// flag.CommandLine are listed for -h alone, by [flag.Usage]; after a mistake one line says so.
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
	fs.BoolVar(&o.config.Alone, "alone", false, "run a job of its own, though a launcher such as mpirun has started "+
		"several of this program")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of everything random")
	fs.Var(value{func() string { return o.simulated.name }, o.simulated.load}, "network",
		"run in a simulated world, on 2 ranks unless -ranks says more, over the network of this `name`: "+
			strings.Join(sim.Names(), ", ")+", or of a file")
	fs.BoolVar(&o.json, "json", false, "print one JSON object instead of text")
	fs.BoolVar(&o.Explain, "explain", false, "say what the job would do, its buffers and messages, and don't run it")
	fs.BoolVar(&o.verbose, "verbose", false, "log what happens")
	if fs == flag.CommandLine {
		fs.Usage = func() { printUsage(fs) }
	}
	return o
}

// network adds the flags that say which ranks there are, what connects them, and how an epoch ends.
func (o *Options) network(fs *flag.FlagSet) {
	c := &o.config
	topology, detector := "direct", "auto"
	fs.Var(counted(&c.Ranks), "ranks", "`N` ranks of the whole job (default one for each core and at least one "+
		"for each process; what a launcher was told goes first)")
	fs.Var(named(&o.via, func(text string) error { return values.OneOf(text, vias) }), "transport",
		"`name` of what carries frames between ranks: "+strings.Join(vias, ", "))
	fs.StringVar(&o.fabric.provider, "provider", "", "`name` of the provider of libfabric, for transport ofi or "+
		"auto: verbs, efa, cxi, tcp, shm (default the first with hardware)")
	fs.Var(sized(&o.fabric.pinned, 0), "pinned", "limit of one process for memory that libfabric registers, a `size` "+
		"such as 64MiB (default half of the memory, and what ulimit -l allows)")
	fs.BoolVar(&o.fabric.insecure, "insecure", false, "let providers of libfabric that anybody can reach leave the "+
		"host")
	fs.BoolVar(&o.tls, "tls", false, "encrypt all connections over TCP by TLS 1.3")
	fs.Var(named(&topology, func(text string) (err error) {
		if o.tuning.Topology = text == values.Auto; !o.tuning.Topology {
			c.Topology, err = route.ByName(text)
		}
		return err
	}), "topology", "`name` of how pebbles travel: "+strings.Join(route.Names(), ", ")+", auto; also "+route.Forms)
	fs.Var(named(&detector, func(text string) (err error) {
		c.Termination, err = termination.ByName(text)
		return err
	}), "termination", "`name` of what finds the end of an epoch: "+strings.Join(termination.Names(), ", "))
}

// buffers adds the flags of buffers, caches and memory.
func (o *Options) buffers(fs *flag.FlagSet) {
	c := &o.config
	fs.Var(tuned(&c.Coalesce, &o.tuning.Coalesce, 1, coalesce.FactorDefault), "coalesce", "coalescing factor: "+
		"`N` pebbles a buffer, or auto; when not given no more than 128 KiB hold")
	fs.Var(tuned(&c.Cache, &o.tuning.Cache, 0, 0), "cache", "`N` entries of the reduction cache, 0 for none, or auto")
	fs.Var(value{func() string { return strconv.Itoa(max(0, c.AddressCache)) }, func(text string) error {
		n, err := values.Count(text, 0)
		if err != nil {
			return err
		}
		if c.AddressCache = n; n == 0 {
			c.AddressCache = -1
		}
		return values.CheckAddressCache(n)
	}}, "address-cache", "`N` addresses of arrays and objects of other processes that a process keeps, 0 for none")
	fs.Var(sized(&c.PageCache, PageCacheDefault), "page-cache", "limit of one rank for copies and twins of shared "+
		"pages, a `size` such as 64MiB")
	fs.Var(counted(&c.Credits), "credits", "`N` frames in flight to each neighbour at most (default as many as 512 "+
		"KiB hold, 8 to 128)")
	fs.Var(waiting(&c.Due), "due", "`time` that a pebble may wait in a buffer, or never")
	fs.Var(waiting(&c.Period), "period", "`time` without a pebble sent or a frame received after which a rank sends all "+
		"its buffers, or never")
	fs.Var(sized(&c.MemoryLimit, 0), "memory", "limit of one rank for pebbles that wait or travel, a `size` such as "+
		"64MiB (default a share of what is free)")
}

// watch adds the flags of those who watch the job.
func (o *Options) watch(fs *flag.FlagSet) {
	w := &o.config.Watch
	fs.Var(value{func() string { return values.WaitText(cmp.Or(w.Stall, watch.StallDefault)) },
		func(text string) (err error) {
			w.Stall, err = values.Wait(text)
			return err
		}}, "stall", "`time` without progress, while some ranks wait, after which one report says who waits for what, "+
		"or never")
	fs.StringVar(&w.HTTP, "http", "", "`address` where process 0 serves a page to watch the job, and metrics: 8080, or "+
		"HOST:8080 (default none)")
	fs.BoolVar(&w.Pprof, "http-pprof", false, "the page has Go's profiles too")
	fs.StringVar(&w.Record, "record", "", "`folder` for a record of the job, which pebbles report reads (default none)")
	fs.StringVar(&w.Trace, "trace", "", "`file` for a trace of each rank, which Perfetto shows (default none)")
	fs.BoolVar(&w.StallExit, "stall-exit", false, "end the job when it stands still for so long, with status 76")
}

// printUsage lists the flags if the command line asks for help. Otherwise a flag was wrong: one line says how to see
// them.
func printUsage(fs *flag.FlagSet) {
	if launch.AskedForHelp(fs.NArg()) {
		flag.Usage()
		return
	}
	fmt.Fprintln(fs.Output(), "-h lists the flags")
}

// Config is the configuration that the flags say, changed by Change. Its Explain writes to out, as -json says. Flags
// that don't go together are an error.
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
		return c, errors.New("-network simulates what connects ranks: leave -transport and the flags of libfabric out")
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

// Main is [Main] with the configuration that the flags say; with -network it runs the job in a simulated world. A
// function that ends because its epoch was explained ends well. One that has been told -json, and has neither printed a
// report nor asked for JSON, fails the job at its end. Flags that don't go together end the process with status 2.
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

// heeding is the program's function where flags that it ignores are told.
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

// value is one flag. Its text is that of the default before it is set.
type value struct {
	text func() string
	set  func(string) error
}

func (v value) Set(text string) error { return v.set(text) }

// String is also asked of the zero value, by package flag.
func (v value) String() string {
	if v.text == nil {
		return ""
	}
	return v.text()
}

// named is a flag whose value is a word, which check refuses or uses.
func named(word *string, check func(string) error) value {
	return value{func() string { return *word }, func(text string) error {
		*word = text
		return check(text)
	}}
}

// counted is a flag whose value is a number from 1 on. 0 is its default, which the text of the flag says.
func counted(n *int) value {
	return value{func() string { return strings.TrimPrefix(strconv.Itoa(*n), "0") }, func(text string) (err error) {
		*n, err = values.Count(text, 1)
		return err
	}}
}

// tuned is a flag whose value is a number from least on, or auto: the job finds the number. While it is 0, its text is
// that of standard.
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

// sized is a flag whose value is a number of bytes. While it is 0, its text is that of standard, or of nothing.
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

// exact writes a number of bytes with a unit where that loses nothing.
func exact(n int64) string {
	text := values.BytesText(n)
	if back, err := values.Bytes(text); err != nil || back != n {
		return strconv.FormatInt(n, 10)
	}
	return text
}

// waiting is a flag whose value is a time, or never: 0 and below.
func waiting(d *time.Duration) value {
	return value{func() string { return values.WaitText(cmp.Or(*d, -1)) }, func(text string) (err error) {
		*d, err = values.Wait(text)
		return err
	}}
}
