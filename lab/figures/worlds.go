package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
)

func worldsProgram() lab.Program {
	var count, seed uint64
	return lab.Program{Name: "worlds", Flags: "pebbles page", Own: func(f *flag.FlagSet) {
		f.Uint64Var(&count, "worlds", 1_000_000, "how many")
		f.Uint64Var(&seed, "seed", 1, "of the worlds: the same ones for the same seed")
	}, Run: func(ctx context.Context, s *lab.Session) error { return worlds(ctx, s, count, seed) }}
}

// worlds tries the runtime in many simulated worlds.
func worlds(ctx context.Context, s *lab.Session, count, seed uint64) error {
	if count == 0 || seed == 0 {
		return lab.UsageError{Err: fmt.Errorf("%d worlds of seed %d: give positive numbers", count, seed)}
	}
	const forever = "1e8" // seconds
	var r struct {
		Worlds, Seed, Pebbles, Frames, Turns uint64
		Failed                               uint64 `json:"failed_as_promised"`
		Seconds                              float64
	}
	_, err := machine.Ask(ctx, 0, nil, &r, s.Pebbles, "sim", "--fuzz", "--worlds", fmt.Sprint(count), "--seed",
		fmt.Sprint(seed),
		"--seconds", forever, "--json")
	if err != nil {
		return err
	}
	if r.Worlds != count {
		return fmt.Errorf("%d worlds ran, not %d", r.Worlds, count)
	}
	t := lab.NewTable("worlds passed", "seed", "of them, ended by the error that their faults must lead to",
		"pebbles, each handled once", "frames", "turns", "seconds", "worlds a second")
	t.Row(r.Worlds, r.Seed, r.Failed, r.Pebbles, r.Frames, r.Turns, fmt.Sprintf("%.1f", r.Seconds),
		fmt.Sprintf("%.0f", float64(r.Worlds)/r.Seconds))
	return s.Publish("worlds", fmt.Sprintf("## Worlds\n\n%s Small simulated jobs with faults, drawn by seed and each "+
		"compared with a serial twin\n([simulation](guide-simulation.md#worlds)).\n\n%s",
		lab.Made(fmt.Sprintf("make -C lab worlds WORLDS=%d SEED=%d", count, seed)), t))
}
