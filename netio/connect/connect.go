// Package connect opens the transport between the processes of a job by name.
package connect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/activepebbles/pebbles/internal/frame"
	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/internal/mux"
	"github.com/activepebbles/pebbles/netio/internal/way"
	"github.com/activepebbles/pebbles/netio/shm"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// The names of transports between processes, for [Dial].
const (
	ByAuto = "auto" // shared memory within each host; between hosts libfabric where there is a device, else TCP
	ByShm  = "shm"  // shared memory, or an error
	ByOFI  = "ofi"  // libfabric, or an error; the program imports netio/ofi
	ByTCP  = "tcp"
)

var names = []string{ByAuto, ByShm, ByOFI, ByTCP}

// tlsPrefix begins the names of transports whose connections are encrypted.
const tlsPrefix = "tls+"

// Encrypted returns the name of a transport whose connections use TLS 1.3. It excludes libfabric. Memory that processes
// of a host share is not encrypted.
func Encrypted(name string) string {
	if IsEncrypted(name) {
		return name
	}
	return tlsPrefix + name
}

// IsEncrypted reports whether a name comes from [Encrypted].
func IsEncrypted(name string) bool { return strings.HasPrefix(name, tlsPrefix) }

// Fabric configures libfabric.
type Fabric struct {
	Provider string // such as verbs, efa, cxi, tcp or shm; "" is the first that has hardware
	Pinned   int64  // most bytes of registered memory of a process; 0 is half of its memory, and at most `ulimit -l`
	Insecure bool   // providers that any host can reach may leave this host
}

// With returns the name of a transport that uses libfabric so: [ByOFI], or [ByAuto] where f has a Provider.
func With(name string, f Fabric) string {
	if f == (Fabric{}) {
		return name
	}
	name += ":" + f.Provider
	if f.Pinned > 0 {
		name += ":" + pinnedPrefix + strconv.FormatInt(f.Pinned, 10)
	}
	if f.Insecure {
		name += ":" + insecureWord
	}
	return name
}

const (
	pinnedPrefix = "pinned="
	insecureWord = "insecure"
)

// Parse splits a name, without the prefix of [Encrypted]. The error lists the valid names.
func Parse(text string) (name string, f Fabric, err error) {
	parts := strings.Split(strings.TrimPrefix(text, tlsPrefix), ":")
	name = parts[0]
	if text == "" {
		name = ByAuto
	}
	if !slices.Contains(names, name) {
		last := len(names) - 1
		return "", f, fmt.Errorf("no transport has the name %q; use %s or %s",
			text, strings.Join(names[:last], ", "), names[last])
	}
	if len(parts) == 1 {
		return name, f, nil
	}
	if IsEncrypted(text) {
		return "", f, fmt.Errorf("%q: TLS does not encrypt a provider of libfabric: leave one of the two out", text)
	}
	if name != ByOFI && name != ByAuto {
		return "", f, fmt.Errorf("%q: only %s and %s take a provider of libfabric", text, ByOFI, ByAuto)
	}
	f.Provider = parts[1]
	for _, p := range parts[2:] {
		pinned, ok := strings.CutPrefix(p, pinnedPrefix)
		switch {
		case p == insecureWord:
			f.Insecure = true
		case ok:
			f.Pinned, err = strconv.ParseInt(pinned, 10, 64)
			if err == nil && f.Pinned > 0 {
				continue
			}
			fallthrough
		default:
			return "", f, fmt.Errorf("%q: %q is neither %sBYTES nor %s", text, p, pinnedPrefix, insecureWord)
		}
	}
	return name, f, nil
}

// Opener opens the way over libfabric. If must is set, an error explains a failure; otherwise it returns no way.
type Opener func(c *way.Config, f Fabric, must bool) ([]way.Way, error)

var opener Opener

// Register is for netio/ofi.
func Register(_ frame.Access, o Opener) { opener = o }

var errNoOFI = errors.New("this program can't use libfabric: " +
	`build it with import _ "github.com/activepebbles/pebbles/netio/ofi", or use transport tcp`)

// Dial connects this process with all others of its job, like [tcp.Dial], over the named transport; "" means [ByAuto].
// All processes must use the same name.
func Dial(ctx context.Context, c tcp.Config, name string) (netio.Transport, error) {
	c.TLS = IsEncrypted(name)
	t, err := mux.Dial(ctx, c, func(c *way.Config) ([]way.Way, error) { return ways(c, name) })
	if err != nil {
		return nil, err // no interface around a nil pointer
	}
	return t, nil
}

// ways opens the ways of a name. Frames try them in this order.
func ways(c *way.Config, text string) ([]way.Way, error) {
	name, f, err := Parse(text)
	if err != nil {
		return nil, err
	}
	switch {
	case name == ByTCP:
		return nil, nil
	case name == ByOFI && IsEncrypted(text):
		return nil, fmt.Errorf("%q: TLS does not encrypt libfabric: use transport %s or %s", text, ByAuto, ByTCP)
	case name == ByOFI && opener == nil:
		return nil, errNoOFI
	case name == ByOFI:
		return opener(c, f, true)
	}
	all, err := shm.Open(c, name == ByShm)
	if err != nil || name == ByShm || opener == nil || IsEncrypted(text) {
		return all, err
	}
	fabric, err := opener(c, f, false)
	return append(all, fabric...), err
}
