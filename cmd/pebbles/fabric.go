package main

import (
	"fmt"
	"strings"

	"github.com/activepebbles/pebbles/internal/launch"
	"github.com/activepebbles/pebbles/netio/connect"
)

// fabric is how flags say that libfabric is used.
type fabric struct {
	provider string
	pinned   int64
	insecure bool
}

// check checks the flags for a transport.
func (f fabric) check(transport string) error {
	switch {
	case f != (fabric{}) && transport != connect.ByOFI && transport != connect.ByAuto:
		return fmt.Errorf("--provider, --pinned and --insecure are for libfabric: say --transport %s or %s, not %s",
			connect.ByOFI, connect.ByAuto, transport)
	case strings.Contains(f.provider, ":"):
		return fmt.Errorf("--provider %s: the name of a provider has no colon", f.provider)
	}
	return nil
}

// with is a transport that uses libfabric so.
func (f fabric) with(transport string) string {
	via := launch.Via{Transport: transport, Provider: f.provider, Pinned: f.pinned, Insecure: f.insecure}
	return via.String()
}
