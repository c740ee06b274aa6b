package main

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/coalesce"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
	"github.com/activepebbles/pebbles/termination"
	"github.com/activepebbles/pebbles/tune"
)

// autos tells which settings are auto: the job finds them itself.
type autos struct{ Topology, Coalesce, Cache bool }

// settings are the flags that all applications share.
type settings struct {
	spread      spread
	log         logFlags
	transport   word
	topology    word
	termination word
	coalesce    int
	credits     int
	cache       int
	addresses   int           // of the address cache
	autos       autos         // what the job is to find itself
	parameters  string        // of which machine; "" is this one
	known       *tune.Setting // from a profile: what it begins with; nil: none
	memory      size
	pageCache   size
	due         wait
	period      wait
	seed        uint64
	json        bool
	explain     bool
	fabric      fabric
	profile     string // file of pebbles tune
}

var (
	transports = []string{"mem", connect.ByShm, connect.ByOFI, connect.ByTCP, connect.ByAuto}
)

// register adds the flags to a command.
func (s *settings) register(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false
	s.coalesce = coalesce.FactorDefault
	s.due = wait(time.Millisecond)
	s.period = wait(-1)
	s.seed = 1
	s.topology.check = func(name string) error {
		if s.autos.Topology = name == auto; s.autos.Topology {
			return nil
		}
		_, err := route.ByName(name)
		return err
	}
	f.Var(count{&s.spread.ranks, 1, "one for each core, or one a process"}, "ranks", "ranks of the whole job")
	f.Var(count{&s.spread.processes, 1, "1, or one a host or slot"}, "procs", "processes, which the command starts itself")
	s.spread.register(c)
	words(c, &s.transport, "transport", "auto", transports, "what carries frames between ranks")
	s.fabric.register(c)
	words(c, &s.topology, "topology", "direct", append(route.Names(), auto), "how pebbles travel")
	f.Lookup("topology").Usage += "; also " + route.Forms
	f.Var(open{count{&s.coalesce, 1, ""}, &s.autos.Coalesce}, "coalesce", "coalescing factor: pebbles a buffer, or "+auto)
	f.Var(count{&s.credits, 1, "as many as 512 KiB hold, 8 to 128"}, "credits", "frames under way to each neighbour at most")
	f.Var(open{count{&s.cache, 0, "0"}, &s.autos.Cache}, "cache", "entries of the reduction cache, 0 for none, or "+auto)
	s.addresses = pebble.AddressCacheDefault
	f.Var(addressCount{count{&s.addresses, 0, "0"}}, "address-cache", "addresses of arrays and objects of other processes that a process keeps, 0 for none")
	s.pageCache = pebble.PageCacheDefault
	f.Var(&s.pageCache, "page-cache", "limit of one rank for copies and twins of shared pages, such as 64MiB")
	words(c, &s.termination, "termination", "auto", termination.Names(), "what finds the end of an epoch")
	f.Var(&s.memory, "memory", "limit of one rank for pebbles that wait or travel, such as 64MiB (default a share of what is free)")
	f.Var(&s.due, "due", "how long a pebble may wait in a buffer, or never")
	f.Var(&s.period, "period", "after how long without a pebble sent or a frame received a rank sends all its buffers, or never")
	f.Uint64Var(&s.seed, "seed", s.seed, "seed of everything random")
	f.BoolVar(&s.json, "json", false, "print one JSON object instead of a table")
	f.BoolVar(&s.explain, "explain", false, "say what the job would do, its buffers and messages, and don't run it")
	f.StringVar(&s.profile, "profile", "", "take topology, factor and cache from a file of pebbles tune, where no flag says otherwise")
	s.log.register(c)
	completes(c, "coalesce", cobra.ShellCompDirectiveNoFileComp, auto)
	completes(c, "cache", cobra.ShellCompDirectiveNoFileComp, auto)
	completes(c, "due", cobra.ShellCompDirectiveNoFileComp, "never")
	completes(c, "period", cobra.ShellCompDirectiveNoFileComp, "never")
}

// check rejects flags that don't go together. member means that a launcher has started this process.
func (s *settings) check(member bool) error {
	if err := s.log.check(); err != nil {
		return err
	}
	if err := s.spread.check(); err != nil {
		return err
	}
	several := s.spread.several() || member
	if err := s.fabric.check(s.transport.text); err != nil {
		return err
	}
	switch {
	case s.transport.text == "mem" && several:
		return errors.New("--transport mem stays in one process: leave out --procs and --hosts, or use --transport tcp or shm")
	case s.via() != "" && !several:
		return fmt.Errorf("--transport %s connects processes: add --procs 2 or more, or --hosts", s.transport.text)
	case s.spread.bind != "" && !several:
		return errors.New("--bind is for jobs of several processes: add --procs 2 or more, or --hosts")
	case s.spread.start.time+s.spread.silence.time > 0 && !several:
		return errors.New("--start-limit and --silence-limit are for jobs of several processes: add --procs 2 or more, or --hosts")
	case member:
		return nil // the launcher sets the number of ranks
	}
	return s.connects(s.ranks())
}

// connects rejects a topology that can't connect that many ranks.
func (s *settings) connects(ranks int) (err error) {
	topology, err := s.start()
	if err != nil {
		return err
	}
	defer func() {
		switch why := recover().(type) {
		case nil:
		case string:
			err = fmt.Errorf("--topology %s: %s", s.topology.text, why)
		default:
			panic(why)
		}
	}()
	topology(ranks)
	return nil
}

// ranks is how many ranks the job will have, unless a launcher decides.
func (s *settings) ranks() int {
	switch {
	case s.spread.ranks > 0:
		return s.spread.ranks
	case s.spread.several():
		return s.spread.count()
	}
	return runtime.GOMAXPROCS(0)
}

// via is the transport between processes that the flags name; "" when none does.
func (s *settings) via() string {
	switch s.transport.text {
	case connect.ByShm, connect.ByTCP, connect.ByOFI:
		return s.fabric.with(s.transport.text)
	case connect.ByAuto:
		if s.fabric.provider != "" {
			return s.fabric.with(connect.ByAuto)
		}
	}
	return ""
}

// addressCache is the size of the address cache, for the runtime.
func (s *settings) addressCache() int {
	if s.addresses == 0 {
		return -1
	}
	return s.addresses
}

// config translates the flags for the runtime.
func (s *settings) config(log *slog.Logger) (pebble.Config, error) {
	topology, err := s.start()
	if err != nil {
		return pebble.Config{}, err
	}
	detector, err := termination.ByName(s.termination.text)
	if err != nil {
		return pebble.Config{}, err
	}
	return pebble.Config{
		Ranks:        s.ranks(),
		Alone:        s.spread.alone,
		Via:          s.via(),
		Topology:     topology,
		Coalesce:     s.coalesce,
		Cache:        s.cache,
		AddressCache: s.addressCache(),
		Due:          time.Duration(s.due),
		Period:       time.Duration(s.period),
		Termination:  detector,
		Credits:      s.credits,
		MemoryLimit:  int64(s.memory),
		PageCache:    int64(s.pageCache),
		Tuning:       s.tuning(log),
		Log:          log,
	}, nil
}

// fits checks the flags against the job that the launcher has started. Rank 0 alone reports what concerns all ranks.
func (s *settings) fits(r *pebble.Rank) error {
	if err := s.connects(r.Size()); err != nil {
		return err
	}
	switch place := r.Place(); {
	case r.ID() != 0:
		return nil
	case s.spread.ranks > 0 && s.spread.ranks != place.Ranks:
		return fmt.Errorf("--ranks %d, but the job was started with %d: give --ranks to what starts it", s.spread.ranks, place.Ranks)
	case s.spread.counted() && s.spread.count() != place.Processes:
		return fmt.Errorf("--procs %d, but the job was started with %d processes: leave out --procs", s.spread.count(), place.Processes)
	}
	return nil
}
