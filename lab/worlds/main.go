// Command worlds tries the runtime in many simulated worlds, and writes how many passed, with which seed and in what time, into
// a page.
//
//	worlds -program built/pebbles -worlds 1000000 -seed 1 -page ../docs/measurements.md
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"strconv"

	"github.com/activepebbles/pebbles/lab"
)

func main() { lab.Program("worlds", command) }

// report is what the command tells.
type report struct {
	Worlds, Seed, Pebbles, Frames, Turns uint64
	Failed                               uint64 `json:"failed_as_promised"`
	Seconds                              float64
}

// forever is longer than any number of worlds takes, in seconds.
const forever = "1e8"

func command(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("worlds", flag.ContinueOnError)
	flags.SetOutput(stderr)
	program := flags.String("program", "built/pebbles", "the command")
	count := flags.Uint64("worlds", 1_000_000, "how many")
	seed := flags.Uint64("seed", 1, "of the worlds: the same ones for the same seed")
	page := flags.String("page", "", "put the result into this page, between its comments; default is to print it")
	if err := flags.Parse(args); err != nil {
		return lab.UsageError{Err: err}
	}
	if *count == 0 || *seed == 0 {
		return lab.UsageError{Err: fmt.Errorf("%d worlds of seed %d: give positive numbers", *count, *seed)}
	}
	if err := lab.Writable(*page); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, *program, "sim", "--fuzz", "--worlds", strconv.FormatUint(*count, 10),
		"--seed", strconv.FormatUint(*seed, 10), "--seconds", forever, "--json")
	c.Stderr = stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("%v: %w", c.Args, err)
	}
	var r report
	if err := json.Unmarshal(out, &r); err != nil {
		return fmt.Errorf("%v: %w", c.Args, err)
	}
	if r.Worlds != *count {
		return fmt.Errorf("%v: %d worlds ran, not %d", c.Args, r.Worlds, *count)
	}
	text := fmt.Sprintf("## Worlds\n\n`make -C lab worlds WORLDS=%d SEED=%d` wrote this. Small simulated jobs with faults, drawn by seed and each compared with a serial twin\n"+
		"([simulation](guide-simulation.md#worlds)). Machine: %v.\n\n"+
		"| worlds passed | seed | of them, ended by the error that their faults must lead to | pebbles, each handled once | frames | turns | seconds | worlds a second |\n"+
		"|---:|---:|---:|---:|---:|---:|---:|---:|\n| %d | %d | %d | %d | %d | %d | %.1f | %.0f |\n",
		r.Worlds, r.Seed, lab.ThisMachine(), r.Worlds, r.Seed, r.Failed, r.Pebbles, r.Frames, r.Turns, r.Seconds, float64(r.Worlds)/r.Seconds)
	if *page == "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	return lab.WriteSection(*page, "worlds", text)
}
