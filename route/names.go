package route

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// named has the topologies whose names are single words.
var named = map[string]Constructor{
	"direct":      Direct,
	"hypercube":   Hypercube,
	"ring":        Ring,
	"tree":        Tree,
	"two-stage":   TwoStage,
	"three-stage": ThreeStage,
}

// Forms describes the names that [Names] leaves out, for help texts.
const Forms = "mesh:3 or torus:3 (3 dimensions as equal as can be), mesh:8x8 or torus:8x8 (their sizes), " +
	"mesh:8x8/0-1 (and the order of routing), hosts: before direct, hypercube, tree or mesh:2 (between hosts), " +
	"or dynamic: before any of them"

// ByName finds a ready-made topology by its Name, as flags use it. Names that are no single words are
//
//	mesh:3        MeshOf(3)
//	mesh:8x8      Mesh(8, 8)
//	mesh:8x8/0-1  MeshIn([]int{0, 1}, 8, 8)
//	torus:3       TorusOf(3)
//	torus:4x4     Torus(4, 4)
//	hosts:NAME    Hosts of the topology of that name, between hosts
//	dynamic:NAME  Dynamic of the topology of that name
//
// The error lists the names. The constructor, not ByName, checks that sizes suit the number of ranks.
func ByName(name string) (Constructor, error) {
	c, err := parse(name)
	if err != nil {
		return nil, fmt.Errorf("route: unknown topology %q: %w", name, err)
	}
	return c, nil
}

// Register gives a topology of the program a name for [ByName], and so for the flag -topology: a word of small letters,
// digits and dashes that no other topology has, or Register panics. The name should be the topology's Name. Call it in
// init functions, or in main before flags are parsed and a job begins.
func Register(name string, c Constructor) {
	switch {
	case c == nil || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		panic(fmt.Sprintf("route: register topology %q: give a constructor, and a word of small letters, digits and dashes",
			name))
	case named[name] != nil || name == "mesh" || name == "torus" || name == "hosts" || name == "dynamic" ||
		name == "auto":
		panic(fmt.Sprintf("route: register topology %q: the name is taken", name))
	}
	named[name] = c
}

func parse(name string) (Constructor, error) {
	if c, ok := named[name]; ok {
		return c, nil
	}
	switch kind, form, _ := strings.Cut(name, ":"); kind {
	case "mesh":
		return parseMesh(form)
	case "torus":
		return parseTorus(form)
	case "hosts":
		return parseHosts(form)
	case "dynamic":
		return parseDynamic(form)
	}
	return nil, fmt.Errorf("use one of %s, %s", strings.Join(words(), ", "), Forms)
}

// Names returns names for [ByName] that suit any number of ranks, in order.
func Names() []string {
	names := append(words(), "dynamic:hypercube", "hosts:hypercube", "hosts:mesh:2", "mesh:2", "mesh:3")
	slices.Sort(names)
	return names
}

func words() (all []string) {
	for name := range named {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

func parseMesh(form string) (Constructor, error) {
	sizes, order, ordered := strings.Cut(form, "/")
	dims, err := numbers(sizes, "x", 1)
	if err != nil {
		return nil, fmt.Errorf("%w: write mesh:3, mesh:8x8 or mesh:8x8/0-1", err)
	}
	switch {
	case ordered:
		return parseOrder(order, dims)
	case len(dims) > 1:
		return Mesh(dims...), nil
	case dims[0] > axesMax:
		return nil, fmt.Errorf("a mesh has 1 to %d dimensions: write mesh:3, mesh:8x8 or mesh:8x8/0-1", axesMax)
	}
	return MeshOf(dims[0]), nil
}

func parseOrder(form string, dims []int) (Constructor, error) {
	order, err := numbers(form, "-", 0)
	if err == nil && !permutes(order, len(dims)) {
		err = fmt.Errorf("its order must have each dimension from 0 to %d once", len(dims)-1)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: write mesh:8x8/0-1", err)
	}
	return MeshIn(order, dims...), nil
}

func parseTorus(form string) (Constructor, error) {
	dims, err := numbers(form, "x", 1)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: write torus:3 or torus:4x4", err)
	case len(dims) > 1:
		return Torus(dims...), nil
	case dims[0] > axesMax:
		return nil, fmt.Errorf("a torus has 1 to %d dimensions: write torus:3 or torus:4x4", axesMax)
	}
	return TorusOf(dims[0]), nil
}

// parseHosts accepts topologies for any number of hosts whose links have stages.
func parseHosts(form string) (Constructor, error) {
	kind, sizes, _ := strings.Cut(form, ":")
	_, err := strconv.Atoi(sizes)
	switch {
	case form == "direct", form == "hypercube", form == "tree", kind == "mesh" && err == nil:
		inner, err := parse(form)
		if err != nil {
			return nil, err
		}
		return Hosts(inner), nil
	}
	return nil, errors.New("write hosts:direct, hosts:hypercube, hosts:tree, or hosts:mesh:2 with any number of " +
		"dimensions")
}

func parseDynamic(form string) (Constructor, error) {
	if strings.HasPrefix(form, "dynamic:") {
		return nil, errors.New("write dynamic: once")
	}
	base, err := parse(form)
	if err != nil {
		return nil, err
	}
	return Dynamic(base), nil
}

// numbers reads whole numbers from least on, as written in names: without signs or leading zeros.
func numbers(form, between string, least int) (all []int, err error) {
	for word := range strings.SplitSeq(form, between) {
		n, err := strconv.Atoi(word)
		if err != nil || n < least || strconv.Itoa(n) != word {
			return nil, fmt.Errorf("%q is not a number from %d on", word, least)
		}
		all = append(all, n)
	}
	return all, nil
}
