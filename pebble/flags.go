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

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/internal/values"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
)

// Options are the flags that programs have in common: see [Flags]. They are good once the flags have been parsed, for
// any goroutine.
type Options struct {
	JSON    bool   // -json: the program prints one JSON object, as Print does
	Explain bool   // -explain: the program says what it would do
	Seed    uint64 // -seed: of everything random in the program; 1 unless the flag is given

	config  Config
	via     string
	fabric  fabric
	tuning  Tuning
	verbose bool
}

// fabric is how libfabric is used.
type fabric struct {
	provider string
	pinned   int64
	insecure bool
}

var vias = []string{"auto", "mem", "shm", "ofi", "tcp"}

// Flags adds the flags of jobs to those of a program: ranks, transport, provider, pinned, insecure, topology, coalesce,
// cache, address-cache, page-cache, credits, termination, due, period, memory, alone, seed, json, explain and
// verbose.
// Their values are written as those of the command pebbles are; its page of help for an application explains them.
// Values that can't be are refused when the flags are parsed. Those of flag.CommandLine are listed for -h alone, by
// [flag.Usage]; after a mistake one line says so.
//
//	options := pebble.Flags(flag.CommandLine)
//	flag.Parse()
//	options.Main(os.Stdout, func(r *pebble.Rank) error { ... })
func Flags(fs *flag.FlagSet) *Options {
	o := &Options{Seed: 1, via: "auto", config: Config{Due: dueDefault, Coalesce: coalesce.FactorDefault,
		AddressCache: AddressCacheDefault}}
	c := &o.config
	topology, detector := "direct", "auto"
	count := func(name string, n *int, usage string) {
		fs.Var(value{func() string { return numberText(*n) }, func(text string) (err error) {
			*n, err = values.Count(text, 1)
			return err
		}}, name, usage)
	}
	open := func(name string, n *int, auto *bool, least int, usage string) {
		fs.Var(value{func() string { return strconv.Itoa(*n) }, func(text string) error {
			read, is, err := values.CountOrAuto(text, least)
			if *auto = is; err == nil && !is {
				*n = read
			}
			return err
		}}, name, usage)
	}
	count("ranks", &c.Ranks, "`N` ranks of the whole job (default one for each core, or what a launcher says)")
	fs.Var(value{func() string { return o.via }, func(text string) error {
		o.via = text
		return values.OneOf(text, vias)
	}}, "transport", "`name` of what carries frames between ranks: "+strings.Join(vias, ", "))
	fs.StringVar(&o.fabric.provider, "provider", "", "`name` of the provider of libfabric, for transport ofi or "+
		"auto: verbs, efa, cxi, tcp, shm")
	fs.Var(value{func() string { return pinnedText(o.fabric.pinned) }, func(text string) (err error) {
		o.fabric.pinned, err = values.Bytes(text)
		return err
	}}, "pinned", "limit of one process for memory that libfabric registers, a `size` such as 64MiB (default half "+
		"of the memory, and what ulimit -l allows)")
	fs.BoolVar(&o.fabric.insecure, "insecure", false, "let providers of libfabric that anybody can reach leave the "+
		"host")
	fs.Var(value{func() string { return topology }, func(text string) (err error) {
		topology = text
		if o.tuning.Topology = text == values.Auto; !o.tuning.Topology {
			c.Topology, err = route.ByName(text)
		}
		return err
	}}, "topology", "`name` of how pebbles travel: "+strings.Join(route.Names(), ", ")+", auto; also "+route.Forms)
	open("coalesce", &c.Coalesce, &o.tuning.Coalesce, 1, "coalescing factor: `N` pebbles a buffer, or auto")
	open("cache", &c.Cache, &o.tuning.Cache, 0, "`N` entries of the reduction cache, 0 for none, or auto")
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
	pageCache := func() string { return values.BytesText(cmp.Or(c.PageCache, PageCacheDefault)) }
	fs.Var(value{pageCache, func(text string) (err error) {
		c.PageCache, err = values.Bytes(text)
		return err
	}}, "page-cache", "limit of one rank for copies and twins of shared pages, a `size` such as 64MiB")
	count("credits", &c.Credits, "`N` frames under way to each neighbour at most (default as many as 512 KiB hold, "+
		"8 to 128)")
	fs.Var(value{func() string { return detector }, func(text string) (err error) {
		detector = text
		c.Termination, err = termination.ByName(text)
		return err
	}}, "termination", "`name` of what finds the end of an epoch: "+strings.Join(termination.Names(), ", "))
	fs.Var(value{func() string { return values.WaitText(c.Due) }, func(text string) (err error) {
		c.Due, err = values.Wait(text)
		return err
	}}, "due", "`time` that a pebble may wait in a buffer, or never")
	fs.Var(value{func() string { return periodText(c) }, func(text string) (err error) {
		c.Period, err = values.Wait(text)
		return err
	}}, "period", "`time` without a pebble sent or a frame received after which a rank sends all its buffers, or never")
	fs.Var(value{func() string { return memoryText(c) }, func(text string) (err error) {
		c.MemoryLimit, err = values.Bytes(text)
		return err
	}}, "memory", "limit of one rank for pebbles that wait or travel, a `size` such as 64MiB (default a share of "+
		"what is free)")
	fs.BoolVar(&c.Alone, "alone", false, "run a job of this process alone, also as one of several that a launcher "+
		"has started")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of everything random")
	fs.BoolVar(&o.JSON, "json", false, "print one JSON object")
	fs.BoolVar(&o.Explain, "explain", false, "say what the job would do, its buffers and messages, and don't run it")
	fs.BoolVar(&o.verbose, "verbose", false, "log what happens")
	if fs == flag.CommandLine {
		fs.Usage = func() { tellUsage(fs) }
	}
	return o
}

// tellUsage lists the flags for who asks for help, and otherwise, after what is wrong with one, says who lists them.
func tellUsage(fs *flag.FlagSet) {
	if launch.AskedForHelp(fs.NArg()) {
		flag.Usage()
		return
	}
	fmt.Fprintln(fs.Output(), "-h lists the flags")
}

// numberText is a number, of which 0 is a default that is no number.
func numberText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func periodText(c *Config) string {
	if c.Period == 0 {
		return "never"
	}
	return values.WaitText(c.Period)
}

func pinnedText(n int64) string {
	if n == 0 {
		return ""
	}
	return values.BytesText(n)
}

func memoryText(c *Config) string {
	if c.MemoryLimit == 0 {
		return ""
	}
	return values.BytesText(c.MemoryLimit)
}

// Config is the configuration that the flags say. Its Explain writes to out, as -json says. Flags that don't go
// together are an error.
func (o *Options) Config(out io.Writer) (Config, error) {
	c := o.config
	started := launch.Started(c.Alone)
	switch {
	case o.via == "mem" && started:
		return c, errors.New("-transport mem stays in one process: leave it out under a launcher, or add -alone")
	case o.fabric != (fabric{}) && o.via != "ofi" && o.via != "auto":
		return c, fmt.Errorf("-provider, -pinned and -insecure are for libfabric: say -transport ofi or auto, not "+
			"%s", o.via)
	case strings.Contains(o.fabric.provider, ":"):
		return c, fmt.Errorf("-provider %s: the name of a provider has no colon", o.fabric.provider)
	case (o.via == "shm" || o.via == "tcp" || o.via == "ofi") && !started:
		return c, fmt.Errorf("-transport %s connects processes: start the program by pebbles run -n 2", o.via)
	case o.via != "auto" && o.via != "mem" || o.fabric != (fabric{}):
		c.Via = launch.Via(o.via, o.fabric.provider, o.fabric.pinned, o.fabric.insecure)
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
	return c, nil
}

// Main is [Main] with the configuration that the flags say. A function that ends because its epoch was explained ends
// well. Flags that don't go together end the process with status 2.
func (o *Options) Main(out io.Writer, function func(*Rank) error) {
	config, err := o.Config(out)
	if err != nil {
		fmt.Fprintln(launch.Stderr(), err)
		launch.Exit(launch.ExitPanic)
	}
	Main(config, func(r *Rank) error {
		if err := function(r); !errors.Is(err, ErrExplained) {
			return err
		}
		return nil
	})
}

// value is one flag.
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
