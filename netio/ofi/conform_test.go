package ofi

import (
	"cmp"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/mux"
	"github.com/activepebbles/pebbles/netio/internal/way"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// process is a process of a job that this way connects.
type process struct {
	*mux.Transport
	way *Way
}

// Kill ends the transport like the death of its process.
func (p process) Kill() { p.Under(access).Kill() }

// dial starts all processes of a job over fabrics.
func dial(t testing.TB, cs []tcp.Config, o Options, fabrics func(process int) (fabric, error)) []process {
	return netiotest.StartAll(t, cs, func(i int, c tcp.Config) (p process, err error) {
		p.Transport, err = mux.Dial(t.Context(), c, func(c *way.Config) ([]way.Way, error) {
			f, err := fabrics(i)
			if err != nil {
				return nil, err
			}
			p.way, err = open(c, f, o)
			return []way.Way{p.way}, err
		})
		return p, err
	})
}

// job starts processes of one rank each over a loopback. Any reported failure is an error.
func job(t testing.TB, n *loopback, processes int) []process {
	all := dial(t, netiotest.Configs(t, processes, processes), Options{All: true}, n.ends)
	startAll(t, all)
	return all
}

// losing starts two processes of one rank each. The test kills the second, and the first reports the loss.
func losing(t testing.TB, fabrics func(process int) (fabric, error)) (all []process, told chan error) {
	all = dial(t, netiotest.Configs(t, 2, 2), Options{All: true}, fabrics)
	told = make(chan error, 8)
	all[0].Start(func(err error) { told <- err })
	all[1].Start(func(error) {})
	t.Cleanup(func() {
		all[0].Abort("it has been seen")
		_ = netiotest.CloseAll(all)
	})
	return all, told
}

func startAll(t testing.TB, all []process) {
	for _, p := range all {
		p.Start(func(err error) { t.Error(err) })
	}
}

func conforms(t *testing.T, fabrics func() func(process int) (fabric, error), except ...netiotest.Except) {
	netiotest.Run(t, func(t *testing.T, ranks, processes int) []netio.Transport {
		return netiotest.Interfaces(dial(t, netiotest.Configs(t, ranks, processes), Options{All: true}, fabrics()))
	}, except...)
}

func TestLoopbackConforms(t *testing.T) {
	if raceDetector {
		t.Skip("the sleeps of the loopback fabric make this take minutes")
	}
	conforms(t, func() func(int) (fabric, error) { return (&loopback{}).ends },
		netiotest.Except{"SteadyStateAllocatesNothing": sleeps, "OneSidedAllocatesNothing": sleeps})
}

const sleeps = "sleeps of the loopback fabric allocate on a busy machine: providers of libfabric are held to it"

// providerVariable names the libfabric provider under test, and its address: tcp, shm or verbs@10.77.0.1.
const providerVariable = "PEBBLES_PROVIDER"

// TestProviderConforms closes the endpoints of all processes of the job together, since one process runs them all. The
// provider shm shares the memory of endpoints of one process, and another process would read unmapped memory.
func TestProviderConforms(t *testing.T) {
	provider := os.Getenv(providerVariable)
	if provider == "" {
		t.Skip("name a provider of libfabric in " + providerVariable + ", such as tcp")
	}
	conforms(t, func() func(int) (fabric, error) { return ends(provider, 3) })
}

// TestProviderMovesMemory lets a provider that cuts words do Put and Get, as devices do theirs. Otherwise TCP would do
// them.
func TestProviderMovesMemory(t *testing.T) {
	provider := os.Getenv(providerVariable)
	if provider == "" {
		t.Skip("name a provider of libfabric in " + providerVariable + ", such as shm")
	}
	conforms(t, func() func(int) (fabric, error) {
		open := ends(provider, 3)
		return func(process int) (fabric, error) {
			f, err := open(process)
			return whole{f}, err
		}
	}, netiotest.Except{"LongPutsTearNoWord": "the provider tears words"})
}

// whole is a fabric that claims to cut no word.
type whole struct{ fabric }

func (w whole) Traits() traits {
	t := w.fabric.Traits()
	t.Cuts = false
	return t
}

// ends opens an end of a provider for each process of a job, with at most the given number of processes.
func ends(provider string, processes int) func(int) (fabric, error) {
	provider, host, _ := strings.Cut(provider, "@")
	g := &together{}
	return func(int) (fabric, error) {
		f, err := openLibfabric(provider, cmp.Or(host, "127.0.0.1"), processes)
		if err != nil || provider != "shm" {
			return f, err
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.open++
		return &closer{f, g}, nil
	}
}

type together struct {
	mu   sync.Mutex
	open int
	all  []fabric
}

type closer struct {
	fabric
	g *together
}

func (c *closer) Close() {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	c.g.all = append(c.g.all, c.fabric)
	if c.g.open--; c.g.open == 0 {
		for _, f := range c.g.all {
			f.Close()
		}
	}
}
