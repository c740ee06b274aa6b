package route_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/route"
)

func TestByName(t *testing.T) {
	require.Subset(t, route.Names(), []string{
		"direct", "dynamic:hypercube", "hosts:hypercube", "hosts:mesh:2", "hypercube", "mesh:2", "mesh:3", "ring",
		"three-stage", "tree", "two-stage",
	})
	more := []string{
		"mesh:1", "mesh:2x2", "mesh:4/0", "mesh:2x1x2/1-2-0", "torus:1", "torus:3", "torus:2x2", "dynamic:mesh:2x2",
		"hosts:direct", "hosts:tree", "hosts:mesh:3", "dynamic:hosts:hypercube",
	}
	for _, name := range append(route.Names(), more...) {
		c, err := route.ByName(name)
		require.NoError(t, err)
		require.Equal(t, name, c(4).Name())
		require.True(t, route.Proven(c(4)))
	}
	require.False(t, route.Proven(star(3)))
}

// The name of a topology made by a constructor leads back to it.
func TestNamesOfConstructors(t *testing.T) {
	for name, topology := range map[string]route.Topology{
		"mesh:12/0":      route.Mesh(12)(12),
		"mesh:3x4":       route.Mesh(3, 4)(12),
		"mesh:3x4/0-1":   route.MeshIn([]int{0, 1}, 3, 4)(12),
		"mesh:3":         route.MeshOf(3)(12),
		"torus:12x1":     route.Torus(12)(12),
		"torus:2":        route.TorusOf(2)(12),
		"dynamic:direct": route.Dynamic(route.Direct)(12),
		"hosts:mesh:2":   route.Hosts(route.MeshOf(2))(12),
	} {
		require.Equal(t, name, topology.Name())
		c, err := route.ByName(name)
		require.NoError(t, err)
		for at := range 12 {
			require.Equal(t, topology.Neighbors(at), c(12).Neighbors(at))
		}
	}
}

func TestByNameRefuses(t *testing.T) {
	for name, want := range map[string]string{
		"dodecahedron": "use one of direct, hypercube, ring, three-stage, tree, two-stage, " +
			"mesh:3 or torus:3",
		"":                                       "or dynamic: before any of them",
		"ring:4":                                 "use one of",
		"direct:":                                "use one of",
		"mesh":                                   `"" is not a number from 1 on: write mesh:3, mesh:8x8 or`,
		"mesh:":                                  `"" is not a number`,
		"mesh:0":                                 `"0" is not a number from 1 on`,
		"mesh:33":                                "a mesh has 1 to 32 dimensions",
		"mesh:8x":                                `"" is not a number`,
		"mesh:8x-8":                              `"-8" is not a number`,
		"mesh:8x08":                              `"08" is not a number`,
		"mesh:+8x8":                              `"+8" is not a number`,
		"mesh:8X8":                               `"8X8" is not a number`,
		"mesh:8x8/":                              `"" is not a number from 0 on: write mesh:8x8/0-1`,
		"mesh:8x8/0":                             "its order must have each dimension from 0 to 1 once",
		"mesh:8x8/1-1":                           "each dimension",
		"mesh:8x8/1-2":                           "each dimension",
		"torus:":                                 `"" is not a number from 1 on: write torus:3 or torus:4x4`,
		"torus:33":                               "a torus has 1 to 32 dimensions",
		"torus:4x0":                              `"0" is not a number`,
		"hosts:":                                 "write hosts:direct, hosts:hypercube, hosts:tree, or hosts:mesh:2",
		"hosts:ring":                             "write hosts:direct",
		"hosts:two-stage":                        "write hosts:direct",
		"hosts:hosts:direct":                     "write hosts:direct",
		"hosts:mesh:8x8":                         "hosts:mesh:2 with any number of dimensions",
		"hosts:mesh:0":                           `"0" is not a number from 1 on`,
		"hosts:mesh:+2":                          `"+2" is not a number from 1 on`,
		"dynamic:":                               "use one of",
		"dynamic:star":                           `unknown topology "dynamic:star": use one of`,
		"dynamic:mesh:x":                         "write mesh:3",
		"dynamic:dynamic:ring":                   "write dynamic: once",
		"mesh:99999999999999999999x1":            "is not a number",
		"torus:" + strings.Repeat("1x", 9) + "x": `"" is not a number`,
	} {
		_, err := route.ByName(name)
		require.ErrorContains(t, err, want, name)
		require.ErrorContains(t, err, "route: unknown topology "+strconv.Quote(name), name)
	}
}

// Constructors panic with a message for ranks that they can't connect, and so do those that ByName finds.
func TestConstructorsRefuse(t *testing.T) {
	const huge = 1 << 62
	for _, c := range []struct {
		make  route.Constructor
		ranks int
		want  string
	}{
		{route.Mesh(8, 8), 60, "route: mesh:8x8 over 60 ranks: its sizes multiply to 64: give sizes that multiply"},
		{route.Mesh(8, 0), 8, "route: mesh:8x0 over 8 ranks: a dimension has size 0: sizes are 1 or more"},
		{route.Mesh(-2, -4), 8, "a dimension has size -2"},
		{route.Mesh(), 1, "it has no dimensions"},
		{route.Mesh(huge, huge), 8, "its sizes multiply to more than the 2147483647 ranks that a job may have"},
		{route.Mesh(huge, 4), 1, "multiply to more than"},
		{route.MeshIn([]int{0, 0}, 2, 4), 8,
			"mesh:2x4/0-0 over 8 ranks: its order must have each dimension from 0 to 1 once"},
		{route.MeshIn([]int{1}, 2, 4), 8, "each dimension from 0 to 1 once"},
		{route.MeshIn(nil), 8, "it has no dimensions"},
		{route.MeshOf(0), 8, "route: mesh:0 over 8 ranks: it has 1 to 32 dimensions"},
		{route.MeshOf(-1), 8, "1 to 32"},
		{route.MeshOf(33), 8, "1 to 32"},
		{route.TorusOf(0), 8, "route: torus:0 over 8 ranks: it has 1 to 32 dimensions"},
		{route.Torus(3, 3), 8, "route: torus:3x3 over 8 ranks: its sizes multiply to 9"},
		{route.Torus(), 8, "it has no dimensions"},
		{route.Torus(-1), 8, "a dimension has size -1"},
	} {
		require.Contains(t, words(func() { c.make(c.ranks) }), c.want)
	}
	for _, name := range append(route.Names(), "mesh:8x8", "torus:8x8", "dynamic:torus:8x8") {
		c, err := route.ByName(name)
		require.NoError(t, err)
		base := strings.TrimPrefix(name, "dynamic:")
		require.Equal(t, "route: "+base+" over 0 ranks: a job has at least one rank", words(func() { c(0) }))
		require.Equal(t, "route: "+base+" over -3 ranks: a job has at least one rank", words(func() { c(-3) }))
		require.Equal(t, "route: "+base+" over 2147483648 ranks: a job has at most 2147483647 ranks",
			words(func() { c(1 << 31) }))
	}
}

// FuzzByName checks that any text is an error or the name of the result, and that constructors panic with messages
// alone.
func FuzzByName(f *testing.F) {
	more := []string{"mesh:2x4", "mesh:2x4/0-1", "torus:8", "dynamic:torus:2x4", "mesh:x", "dynamic:dynamic:ring",
		"hosts:tree"}
	for _, name := range append(route.Names(), more...) {
		f.Add(name, uint8(8))
	}
	f.Fuzz(func(t *testing.T, name string, ranks uint8) {
		c, err := route.ByName(name)
		if err != nil {
			require.Nil(t, c)
			require.True(t, strings.HasPrefix(err.Error(), "route: unknown topology "))
			return
		}
		var topology route.Topology
		if text := words(func() { topology = c(int(ranks)) }); topology == nil {
			require.True(t, strings.HasPrefix(text, "route: "+strings.TrimPrefix(name, "dynamic:")+" over "), text)
			return
		}
		require.Equal(t, name, topology.Name())
		if ranks <= 32 {
			_, err = route.Check(topology)
			require.NoError(t, err)
		}
	})
}
