package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio/connect"
)

// fabric are the flags that say how libfabric is used.
type fabric struct {
	provider string
	pinned   size
	insecure bool
}

func (f *fabric) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.provider, "provider", "", "provider of libfabric, for transport ofi or auto: verbs, efa, cxi, tcp, shm (default the first with hardware)")
	flags.Var(&f.pinned, "pinned", "memory that libfabric registers in one process at most (default half of it, and what ulimit -l allows)")
	flags.BoolVar(&f.insecure, "insecure", false, "let providers of libfabric that anybody can reach leave the host")
}

// check checks the flags for a transport.
func (f *fabric) check(transport string) error {
	switch {
	case f.with("") != "auto" && transport != connect.ByOFI && transport != connect.ByAuto:
		return fmt.Errorf("--provider, --pinned and --insecure are for libfabric: say --transport %s or %s, not %s", connect.ByOFI, connect.ByAuto, transport)
	case strings.Contains(f.provider, ":"):
		return fmt.Errorf("--provider %s: the name of a provider has no colon", f.provider)
	}
	return nil
}

// with is a transport that uses libfabric so.
func (f *fabric) with(transport string) string {
	return launch.Via(transport, f.provider, int64(f.pinned), f.insecure)
}
