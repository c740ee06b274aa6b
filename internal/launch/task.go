package launch

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/activepebbles/pebbles/internal/handshake"
	"github.com/activepebbles/pebbles/internal/launch/bootstrap"
	"github.com/activepebbles/pebbles/internal/launch/pmi"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// joinAsTask joins the job whose processes another launcher has started.
func joinAsTask(ctx context.Context, o Options) (*Member, error) {
	t, err := detect()
	if err != nil {
		return nil, err
	}
	joined.Store(int64(t.processes))
	s, err := loadSettings(t)
	if err != nil {
		return nil, err
	}
	encrypted := connect.IsEncrypted(s.transport)
	if o.Transport == "" || o.Transport == connect.ByAuto {
		o.Transport = s.transport
	}
	if encrypted {
		o.Transport = connect.Encrypted(o.Transport)
	}
	m, err := t.join(ctx, s, o)
	if err != nil {
		return nil, fmt.Errorf("as process %d of %d that %s has started: %w", t.process, t.processes, t.launcher, err)
	}
	return m, nil
}

// settings are the settings of users for the tasks of any launcher.
type settings struct {
	bind, transport string
	connect         string
	start, silence  time.Duration
	ranks           int    // 0: number of cores
	folder          string // "" if none was named
	secret          []byte // of tasks that have the addresses
}

// taskVariables are the variables through which launchers mark a process as one of several tasks.
var taskVariables = []string{
	"PMI_FD", "PMI_RANK", "PMI_SIZE", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_ID",
	varIndex,
}

// loadSettings reads the settings, and removes the variables that would make a child of this process a task too.
func loadSettings(t *task) (s settings, err error) {
	values := removeVariables(append(variables, varRendezvous, varRendezvousDir)...)
	removeVariables(taskVariables...)
	p := parser{values: values}
	s = settings{
		bind: values[varBind], folder: values[varRendezvousDir], transport: p.transport(varTransport),
		connect: p.connect(),
	}
	s.start, s.silence = p.limits()
	if _, ok := values[varRanks]; ok {
		s.ranks = p.number(varRanks, t.processes, ranksMax)
	}
	if len(p.wrong) > 0 {
		return s, fmt.Errorf("read the environment: %s", strings.Join(p.wrong, "; "))
	}
	if t.rendezvous != "" {
		s.secret, err = loadSecret(values)
	}
	return s, err
}

func (t *task) join(ctx context.Context, s settings, o Options) (*Member, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, s.start+lineLimit,
		fmt.Errorf("the job has not started within %v", s.start))
	defer cancel()
	identity, err := handshake.ThisBuild()
	if err != nil {
		return nil, err
	}
	first, own, err := t.listen(ctx, s)
	if err != nil {
		return nil, err
	}
	if t.process == 0 && !connect.IsEncrypted(o.Transport) {
		warnOpen(o.Log, own.Addr())
	}
	job, err := t.exchangeAddresses(ctx, s, bootstrap.Config{
		Number: t.process, Processes: t.processes, Self: self(own.Addr().String()), Listener: first, Dial: dial,
		Ranks: func(all []bootstrap.Process) (int, error) { return ranksOf(all, cmp.Or(s.ranks, o.Ranks)) },
		Limit: s.start, TLS: connect.IsEncrypted(o.Transport), Log: o.Log,
	})
	if err != nil {
		own.Close()
		return nil, err
	}
	transport, err := connect.Dial(ctx, tcp.Config{
		Job: job.ID, Secret: job.Secret, Place: netio.PlaceOf(job.Ranks, t.processes, t.process),
		Listener: own, Addresses: job.Addresses, Identity: identity,
		StartLimit: max(s.start-time.Since(began), lineLimit), SilenceMax: s.silence,
		Connect: cmp.Or(o.Connect, s.connect), Log: o.Log,
	}, o.Transport)
	if err != nil {
		return nil, err
	}
	return &Member{Transport: transport, Job: job.ID, Place: transport.Place()}, nil
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, "tcp", address)
}

// exchangeAddresses returns when this task has the addresses of all others.
func (t *task) exchangeAddresses(ctx context.Context, s settings, c bootstrap.Config) (_ *bootstrap.Job, err error) {
	switch {
	case t.descriptor != "":
		return t.exchangeByPMI(ctx, c)
	case t.rendezvous != "":
		return bootstrap.ExchangeAt(ctx, c, bootstrap.Rendezvous{Secret: s.secret, Address: t.addressOf, Star: !t.each()})
	}
	folder, err := t.folder(s)
	if err != nil {
		c.Listener.Close()
		return nil, err
	}
	store := bootstrap.NewFolderStore(folder, t.name)
	job, err := bootstrap.Exchange(ctx, c, store)
	if failed := store.Remove(); err == nil {
		err = failed
	}
	return job, err
}

func (t *task) exchangeByPMI(ctx context.Context, c bootstrap.Config) (*bootstrap.Job, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.Limit+lineLimit, context.DeadlineExceeded)
	defer cancel()
	conn, err := pmi.Inherit(t.descriptor)
	if err != nil {
		c.Listener.Close()
		return nil, err
	}
	client, err := pmi.Open(ctx, conn)
	if err != nil {
		c.Listener.Close()
		return nil, fmt.Errorf("%w; a task takes part in one job: has it run another program before?", err)
	}
	job, err := bootstrap.Exchange(ctx, c, bootstrap.NewLauncherStore(client))
	if failed := client.Close(ctx); err == nil {
		err = failed
	}
	return job, err
}

// folder returns the folder for the tasks' addresses: the one that was named, for tasks of one host the folder of
// temporary files, else the working directory.
func (t *task) folder(s settings) (string, error) {
	switch {
	case s.folder != "":
		return s.folder, nil
	case t.local:
		return os.TempDir(), nil
	}
	return os.Getwd()
}

// self returns this process's description for the others.
func self(address string) bootstrap.Process {
	host, cpus, cores := processors()
	return bootstrap.Process{Address: address, Host: host, CPUs: cpus, Cores: cores}
}

// ranksOf returns the number of ranks of a job: the number asked, or one for each core. All processes have the same
// number, within one, so the one with the fewest cores decides. Tasks of a host that may use the same processors share
// them.
func ranksOf(all []bootstrap.Process, asked int) (int, error) {
	switch {
	case asked > ranksMax:
		return 0, fmt.Errorf("%d ranks were asked for, a job has at most %d", asked, ranksMax)
	case asked >= len(all):
		return asked, nil
	case asked > 0:
		return 0, fmt.Errorf("%d ranks were asked for, and the launcher has started %d processes: each has at least one rank",
			asked, len(all))
	}
	type group struct{ host, cpus string }
	sharers := make(map[group]int)
	for _, p := range all {
		sharers[group{p.Host, p.CPUs}]++
	}
	each := ranksMax / len(all)
	for _, p := range all {
		each = min(each, max(1, p.Cores/sharers[group{p.Host, p.CPUs}]))
	}
	return each * len(all), nil
}
