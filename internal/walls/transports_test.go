package walls_test

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// importers are the folders that may import a transport: the multiplexer and the start of jobs depend on TCP, and
// programs choose libfabric. No other transport depends on either.
var importers = map[string]string{
	"netio/tcp": "netio/tcp netio/internal/mux netio/connect netio/netiotest internal/launch apps/appstest lab/worlds",
	"netio/ofi": "netio/ofi cmd/internal/command lab/fabrics",
}

// Only libfabric itself and the command depend on libfabric, and no transport is built on the internals of TCP.
func TestTransportsAreApart(t *testing.T) {
	used := map[string]int{}
	eachFile(t, isCode, func(name string, source []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			require.NoError(t, err)
			transport := strings.TrimPrefix(imported, module+"/")
			if allowed, ok := importers[transport]; ok {
				used[transport]++
				assert.Contains(t, strings.Fields(allowed), path.Dir(name), "%s must not import %s", name, imported)
			}
		}
	})
	require.False(t, slices.Contains([]int{used["netio/tcp"], used["netio/ofi"]}, 0), "the walk has missed the tree")
}
