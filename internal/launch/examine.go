package launch

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/activepebbles/pebbles/netio/tcp"
)

// Finding describes how this process would take part in a job. It holds no secret.
type Finding struct {
	Launcher  string   `json:"launcher"`          // that started this process as one of several; "" without one
	Because   []string `json:"because,omitempty"` // the deciding variables of the environment
	Process   int      `json:"process"`
	Processes int      `json:"processes"`
	Meets     string   `json:"meets,omitempty"`   // the way to find the others
	Listens   string   `json:"listens,omitempty"` // the address or interface
	Host      string   `json:"host"`
	Cores     int      `json:"cores"`           // available to this process
	OpenFiles uint64   `json:"open_files"`      // the limit; 0 if it is unknown
	NeedFiles int      `json:"need_open_files"` // for a job of this size
	Problem   string   `json:"problem,omitempty"`
}

// Examine reports the results of [Started] and [Join] without starting anything. It opens a listener for a moment to
// test it.
func Examine(ctx context.Context, alone bool) Finding {
	f := Finding{Processes: 1, OpenFiles: thisHost().files}
	f.Host, _ = os.Hostname()
	_, _, f.Cores = processors()
	meant, err := meantAlone(alone)
	switch {
	case err != nil:
		f.Problem = err.Error()
	case ours():
		f.Launcher = "pebbles run"
		f.Because = []string{assignment(varProcess), assignment(varProcesses), assignment(varLauncher)}
		f.Process, _ = strconv.Atoi(os.Getenv(varProcess))
		f.Processes, _ = strconv.Atoi(os.Getenv(varProcesses))
		f.Meets = "by the launcher"
		f.Listens = os.Getenv(varBind)
	case meant:
	default:
		f.examineTask(ctx)
	}
	f.NeedFiles = tcp.FilesNeeded(f.Processes, os.Getenv(varConnect))
	if f.Problem == "" && f.OpenFiles > 0 && uint64(f.NeedFiles) > f.OpenFiles {
		f.Problem = "too few open files are allowed: raise the limit (ulimit -n)"
	}
	return f
}

func (f *Finding) examineTask(ctx context.Context) {
	t, err := detect()
	if errors.Is(err, errNoTask) {
		return
	}
	if err == nil {
		f.Launcher, f.Because, f.Process, f.Processes = t.launcher, t.because, t.process, t.processes
		f.Meets, f.Listens, err = t.examine(ctx)
	}
	if err != nil {
		f.Problem = err.Error()
	}
}

// examineLimit bounds the resolution of a name.
const examineLimit = 5 * time.Second

func (t *task) examine(ctx context.Context) (meets, listens string, err error) {
	s := settings{bind: os.Getenv(varBind), folder: os.Getenv(varRendezvousDir), start: examineLimit}
	switch {
	case t.descriptor != "":
		meets = "by PMI-1, descriptor " + t.descriptor
	case t.rendezvous != "":
		meets = "at " + t.rendezvous
	default:
		if meets, err = t.folder(s); err != nil {
			return "", "", err
		}
		meets = "by files in " + meets
		folder, _ := t.folder(s)
		probe, err := os.CreateTemp(folder, "pebbles-doctor-*")
		if err != nil {
			return meets, "", err
		}
		if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
			return meets, "", err
		}
	}
	first, own, err := t.listen(ctx, s)
	if err != nil {
		return meets, "", err
	}
	defer first.Close()
	defer own.Close()
	host, _, _ := net.SplitHostPort(own.Addr().String())
	return meets, host, nil
}
