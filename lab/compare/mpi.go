package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// medium is the transport of an MPI program.
type medium string

const (
	shm medium = "shm" // shared memory
	tcp medium = "tcp" // TCP over loopback
)

// tuned are the options that make Open MPI fastest here: messages of up to 32 KiB are sent eagerly, and larger ones
// also go through shared memory, without system calls.
var tuned = map[medium][]string{
	shm: {"--mca", "pml", "ob1", "--mca", "btl", "vader,self", "--mca", "btl_vader_eager_limit", "32768",
		"--mca", "btl_vader_single_copy_mechanism", "none"},
	tcp: {"--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo"},
}

func (m medium) check() error {
	if _, known := tuned[m]; !known {
		return fmt.Errorf("medium %q: give shm or tcp", string(m))
	}
	return nil
}

// mpi starts MPI programs. It gives Open MPI two folders for its files during a job, so that nothing is left even of a
// job that was killed.
type mpi struct {
	ranks    int
	files    string // sockets and the like
	segments string // shared memory
}

func newMPI(ranks int) (m mpi, err error) {
	if ranks < 2 {
		return m, fmt.Errorf("-ranks %d: give 2 or more: one rank sends no messages", ranks)
	}
	if err := openMPI(); err != nil {
		return m, err
	}
	m.ranks = ranks
	if m.files, err = os.MkdirTemp("", "mpi"); err != nil {
		return m, err
	}
	if m.segments, err = os.MkdirTemp("/dev/shm", "mpi"); err != nil {
		os.RemoveAll(m.files)
	}
	return m, err
}

func (m mpi) close() {
	os.RemoveAll(m.files)
	os.RemoveAll(m.segments)
}

// openMPI returns an error if the mpirun of this machine cannot be used.
func openMPI() error {
	const install = "run `make -C lab tools` as root, or install Debian's openmpi-bin and libopenmpi-dev"
	out, err := exec.Command("mpirun", "--version").Output()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("there is no mpirun: %s", install)
	case err != nil:
		return fmt.Errorf("mpirun --version: %w: %s", err, install)
	case !strings.Contains(string(out), "Open MPI"):
		return fmt.Errorf("mpirun is not Open MPI's, but %q, and would not know its options: %s",
			firstLine(string(out)), install)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// command returns the command that starts a program on all ranks.
func (m mpi) command(over medium, program ...string) []string {
	args := []string{"mpirun", "-np", strconv.Itoa(m.ranks), "--oversubscribe", "--bind-to", m.binding(),
		"--mca", "orte_tmpdir_base", m.files, "--mca", "btl_vader_backing_directory", m.segments}
	if os.Getuid() == 0 {
		args = append(args, "--allow-run-as-root")
	}
	return append(append(args, tuned[over]...), program...)
}

// line returns the command as a user would type it.
func (m mpi) line(over medium, program ...string) string {
	line := []string{"mpirun", "-np", strconv.Itoa(m.ranks), "--bind-to", m.binding()}
	return strings.Join(append(append(line, tuned[over]...), program...), " ")
}

// binding returns "core", one for each rank, if there are enough.
func (m mpi) binding() string {
	if m.ranks <= runtime.NumCPU() {
		return "core"
	}
	return "none"
}
