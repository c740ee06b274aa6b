package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	ok := Case{Name: "a", Args: []string{"x"}, Field: "f", Unit: "s"}
	with := func(change func(*Case)) Case {
		c := ok
		change(&c)
		return c
	}
	other := with(func(c *Case) { c.Name = "b" })
	require.NoError(t, Check([]Group{{Name: "G", Cases: []Case{ok, other}}}))
	require.NoError(t, Check([]Group{{Name: "G", Cases: []Case{with(func(c *Case) { c.Against = "b" }), other}}}))
	for why, bad := range map[string]Case{
		"name it":                    with(func(c *Case) { c.Name = "" }),
		"the field of its figure":    with(func(c *Case) { c.Field = "" }),
		"its command":                with(func(c *Case) { c.Args = nil }),
		"another of this name":       other,
		`compared with "c"`:          with(func(c *Case) { c.Against = "c" }),
		"name its curve":             with(func(c *Case) { c.Point = &Point{Axis: "ranks", At: 1} }),
		"and its axis":               with(func(c *Case) { c.Point = &Point{Curve: "x", At: 1} }),
		"a place above 0":            with(func(c *Case) { c.Point = &Point{Curve: "x", Axis: "ranks"} }),
		"no case of this group in m": with(func(c *Case) { c.Against, c.Unit = "b", "m" }),
		`compared with "b"`:          with(func(c *Case) { c.Against, c.Lower = "b", true }),
	} {
		err := Check([]Group{{Name: "G", Cases: []Case{other, bad}}})
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, `group "G"`)
	}
	require.ErrorContains(t, Check([]Group{{Cases: []Case{ok}}, {Cases: []Case{ok}}}), "another of this name",
		"names are of the whole suite")
}

func TestMatching(t *testing.T) {
	all := []Group{
		{Name: "one", Cases: []Case{{Name: "limit-a"}, {Name: "a", Against: "limit-a"}, {Name: "b", Against: "a"}}},
		{Name: "two", Cases: []Case{{Name: "b c"}}},
	}
	for expression, want := range map[string]string{
		"": "limit-a|a|b|b c", "one": "limit-a|a|b", "^b": "limit-a|a|b|b c", "c$": "b c", "^a": "limit-a|a",
		"limit": "limit-a", "LIMIT": "limit-a", "One": "limit-a|a|b", `\QB C`: "b c", "(?-i)B": "",
	} {
		some, err := Matching(all, expression)
		require.Equal(t, want == "", err != nil, "%v", err)
		var names []string
		for _, g := range some {
			for _, c := range g.Cases {
				names = append(names, c.Name)
			}
		}
		require.Equal(t, want, strings.Join(names, "|"), expression)
	}
	_, err := Matching(all, "x")
	require.ErrorContains(t, err, `no case matches "x"`)
	_, err = Matching(all, "(")
	require.ErrorContains(t, err, "missing closing )")
	round := []Group{{Name: "one", Cases: []Case{{Name: "a", Against: "b"}, {Name: "b", Against: "a"}}}}
	some, err := Matching(round, "^a$")
	require.NoError(t, err)
	require.Len(t, some[0].Cases, 2, "cases may be compared with each other")
}

// TestAgainst requires that each case but limits is compared with the same one of another build.
func TestAgainst(t *testing.T) {
	limit := Case{Name: "limit-a", Args: []string{"this", "limit"}, Field: "rate"}
	a := Case{Name: "a", Args: []string{"this", "a", "--json"}, Field: "rate", Against: "limit-a",
		Point: &Point{"a", "ranks", 2}}
	groups := []Group{{Name: "none", Cases: []Case{limit}}, {Name: "one", About: "x", Cases: []Case{limit, a}}}
	pairs := Against(groups, "that")
	require.NoError(t, Check(pairs))
	require.Len(t, pairs, 1)
	require.Len(t, pairs[0].Cases, 2)
	other, this := pairs[0].Cases[0], pairs[0].Cases[1]
	require.Equal(t, []string{"that", "a", "--json"}, other.Args)
	require.Equal(t, []string{"this", "a", "--json"}, this.Args)
	require.Equal(t, other.Name, this.Against)
	require.Empty(t, other.Against)
	require.Equal(t, "a", this.Name)
	require.NotNil(t, a.Point, "the given group is left alone")
}
