package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
)

// hpccRun is one run of HPCC's MPIRandomAccess.
type hpccRun struct {
	mpi     mpi
	over    medium
	log2    int    // words of each rank
	program string // of lab/peers/hpcc/randomaccess.c; empty for Debian's hpcc, with its whole suite
}

const hpccLog2Most = 28 // limit of all words: HPL's matrix would have more rows than HPCC reads

// hpccProgram is the command `compare hpcc`.
func hpccProgram() lab.Program {
	run, ranks := hpccRun{}, 0
	return lab.Program{Name: "compare hpcc", Own: func(f *flag.FlagSet) {
		f.IntVar(&ranks, "ranks", 2, "processes")
		f.IntVar(&run.log2, "log2-words", 20, "table words of each rank, as a power of two")
		f.StringVar(&run.program, "program", "", "run this program, made from HPCC's source, instead of Debian's hpcc")
		f.StringVar((*string)(&run.over), "medium", string(shm), "what carries messages: shm or tcp")
	}, Run: func(ctx context.Context, s *lab.Session) error { return run.print(ctx, s, ranks) }}
}

// print runs it and prints its report.
func (run hpccRun) print(ctx context.Context, s *lab.Session, ranks int) (err error) {
	if err := run.over.check(); err != nil {
		return lab.UsageError{Err: err}
	}
	if run.log2 < 1 || run.log2 > hpccLog2Most {
		return lab.UsageError{Err: fmt.Errorf("-log2-words %d: give 1 to %d", run.log2, hpccLog2Most)}
	}
	if run.mpi, err = newMPI(ranks); err != nil {
		return err
	}
	defer run.mpi.close()
	r, err := run.run(ctx)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(s.Stdout).Encode(r); err != nil {
		return err
	}
	if r.Errors > 0 {
		return fmt.Errorf("HPCC found %d of %d words wrong", r.WrongWords, r.Words)
	}
	return nil
}

func (h hpccRun) run(ctx context.Context) (r report, err error) {
	var text string
	if h.program != "" {
		text, err = h.alone(ctx)
	} else {
		text, err = h.debian(ctx)
	}
	if err != nil {
		return r, err
	}
	if r, err = read(text); err != nil {
		return r, err
	}
	if r.Ranks != h.mpi.ranks || r.Log2 != h.log2 {
		return r, fmt.Errorf("HPCC took %d ranks of 2^%d words, not %d of 2^%d: give it ranks that are a power of two",
			r.Ranks, r.Log2, h.mpi.ranks, h.log2)
	}
	return r, nil
}

// alone runs the program that only has MPIRandomAccess.
func (h hpccRun) alone(ctx context.Context) (string, error) {
	line := h.mpi.command(h.over, h.program, strconv.Itoa(h.log2))
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	endGently(cmd)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w%s", h.program, err, machine.Said(stderr.String()+string(out)))
	}
	return string(out), nil
}

// endGently makes a command end by SIGTERM, and by SIGKILL only later.
func endGently(cmd *exec.Cmd) {
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
}

// debian runs Debian's hpcc until it has written the section of MPIRandomAccess, which comes first. The following
// benchmarks are not needed.
func (h hpccRun) debian(ctx context.Context) (string, error) {
	if _, err := exec.LookPath("hpcc"); err != nil {
		return "", errors.New("there is no hpcc: run `make -C lab tools` as root, or install Debian's package hpcc")
	}
	folder, err := os.MkdirTemp("", "hpcc")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, "hpccinf.txt"), []byte(hpccInput(h.mpi.ranks, h.log2)),
		0o644); err != nil {
		return "", err
	}
	output := filepath.Join(folder, "hpccoutf.txt")
	enough, stop := context.WithCancel(ctx)
	defer stop()
	line := h.mpi.command(h.over, "hpcc")
	cmd := exec.CommandContext(enough, line[0], line[1:]...)
	cmd.Dir = folder
	endGently(cmd)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return "", err
	}
	ended := make(chan exit, 1)
	go func() { ended <- exit{cmd.Wait()} }()
	return await(ctx, output, ended, stop, &said)
}

// exit is the way a program has ended.
type exit struct{ err error }

func (e exit) String() string {
	if e.err == nil {
		return "exit status 0"
	}
	return e.err.Error()
}

// pollEvery is the interval between readings of HPCC's output; each costs a core some microseconds.
const pollEvery = 100 * time.Millisecond

// await waits until the section is complete, then stops the program and waits for its end.
func await(ctx context.Context, output string, ended <-chan exit, stop func(), said *bytes.Buffer) (string, error) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		var how exit
		over := false
		select {
		case <-poll.C:
		case how = <-ended:
			over = true
		}
		text, _ := os.ReadFile(output)
		switch {
		case complete(string(text)):
			stop()
			if !over {
				<-ended
			}
			return section(string(text)), nil
		case ctx.Err() != nil && over:
			return "", context.Cause(ctx)
		case over:
			return "", fmt.Errorf("hpcc ended (%v) before its MPIRandomAccess%s", how,
				machine.Said(said.String()+string(text)))
		}
	}
}

// hpccInput returns an hpccinf.txt for tables of MPIRandomAccess with 2^log2 words per rank. Their size is that of
// HPL's matrix, rounded down to a power of two. Everything else is as small as HPCC allows.
func hpccInput(ranks, log2 int) string {
	rows := int(math.Ceil(math.Sqrt(math.Ldexp(float64(ranks), log2))))
	return fmt.Sprintf(`HPLinpack benchmark input file
active-pebbles
HPL.out      output file name
8            device out
1            # of problems sizes (N)
%d           Ns
1            # of NBs
80           NBs
0            PMAP process mapping
1            # of process grids (P x Q)
1            Ps
%d           Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1 in transposed form
0            U in transposed form
1            Equilibration
8            memory alignment in double
##### This line is a separator #####
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
`, rows, ranks)
}
