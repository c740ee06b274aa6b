package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"strings"

	"github.com/activepebbles/pebbles/internal/machine"
	"github.com/activepebbles/pebbles/lab"
)

// usageStatus is the exit status of our command, and of this one, for unknown flags.
const usageStatus = 2

// offersShm reports whether our command has the transport shm. Any other failure is an error.
func offersShm(ctx context.Context, pebbles string) (bool, error) {
	_, err := machine.Run(ctx, lab.Limit, nil, append([]string{pebbles},
		strings.Fields("randomaccess --procs 2 --transport shm --log2-words 4 --json")...)...)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &exit) && exit.ExitCode() == usageStatus:
		return false, nil
	}
	return false, fmt.Errorf("%s --transport shm: %w", pebbles, err)
}

// drawRoots runs our command to draw the roots of all programs' searches, for each scale.
func drawRoots(ctx context.Context, pebbles string, size sizes) (map[int][]string, error) {
	roots := map[int][]string{}
	for _, scale := range size.scales {
		var drawn struct{ Roots []uint64 }
		_, err := machine.Ask(ctx, lab.Limit, nil, &drawn, pebbles, "bfs", "--kronecker", fmt.Sprint(scale), "--roots",
			fmt.Sprint(size.roots), "--json")
		if err == nil && len(drawn.Roots) == 0 {
			err = errors.New("there are none")
		}
		if err != nil {
			return nil, fmt.Errorf("draw roots: %w", err)
		}
		for _, root := range drawn.Roots {
			roots[scale] = append(roots[scale], fmt.Sprint(root))
		}
	}
	return roots, nil
}

// agree compares the findings of the cases of a group: cases with the same exact fields must have the same values.
func agree(results lab.Results) error {
	for _, g := range results.Groups {
		first := map[string]*lab.Result{}
		for _, r := range g.Results {
			if len(r.Exact) == 0 || r.Exact[0] != found[0] {
				continue
			}
			fields := strings.Join(r.Exact, " ")
			if first[fields] == nil {
				first[fields] = r
			}
			if other := first[fields]; !maps.Equal(other.Exactly, r.Exactly) {
				return fmt.Errorf("%s and %s have the same graph, but found %v and %v", other.Name, r.Name,
					other.Exactly, r.Exactly)
			}
		}
	}
	return nil
}
