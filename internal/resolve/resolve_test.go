package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "github.com/activepebbles/pebbles/internal/seeds" // fixes the draws of rapid
)

// turned writes a native value in one schema and reads it in another one.
func turned(t require.TestingT, written, wanted string, v any) (any, error) {
	from, err := goavro.NewCodec(written)
	require.NoError(t, err)
	to, err := goavro.NewCodec(wanted)
	require.NoError(t, err)
	turn, err := Between(written, wanted)
	if err != nil {
		return nil, err
	}
	b, err := from.BinaryFromNative(nil, v)
	require.NoError(t, err)
	if turn != nil {
		rest := b
		b, rest, err = turn([]byte("before"), append(rest, "behind"...))
		require.NoError(t, err)
		require.Equal(t, "behind", string(rest))
		require.Equal(t, "before", string(b[:6]))
		b = b[6:]
	}
	got, rest, err := to.NativeFromBinary(b)
	require.NoError(t, err)
	require.Empty(t, rest)
	return got, nil
}

type values = map[string]any

const chain = `{"type":"record","name":"%s","fields":[{"name":"n","type":"%s"},` +
	`{"name":"next","type":["null","%[1]s"]}%[3]s]}`

func TestTurns(t *testing.T) {
	record := func(name string, fields ...string) string {
		return fmt.Sprintf(`{"type":"record","name":%q,"fields":[%s]}`, name, strings.Join(fields, ","))
	}
	a, b, c := `{"name":"a","type":"int"}`, `{"name":"b","type":"string"}`, `{"name":"c","type":{"type":"array",`+
		`"items":{"type":"map","values":["null","long"]}},"default":[{"x":null}]}`
	long := `{"name":"a","type":"long"}`
	nested := `{"name":"r","type":{"type":"record","name":"in.ner","fields":[` + b + `]}}`
	for _, test := range []struct {
		written, wanted string
		v, want         any
	}{
		{record("main.x", a, b), record("other.y", a, b), values{"a": 1, "b": "z"}, values{"a": int32(1), "b": "z"}},
		{record("x", a, b), record("x", b, long), values{"a": -1, "b": "z"}, values{"a": int64(-1), "b": "z"}},
		{record("x", a, nested), record("x", b+"", a), nil, "field b: it is not among the fields that the record has, a, r"},
		{record("x", a, nested), record("x", c, a), values{"a": 1, "r": values{"b": "dropped"}},
			values{"a": int32(1), "c": []any{values{"x": nil}}}},
		{record("x", a, nested), record("x", strings.Replace(nested, "in.ner", "other", 1)),
			values{"a": 1, "r": values{"b": "kept"}}, values{"r": values{"b": "kept"}}},
		{record("x", a, nested), record("x", strings.Replace(nested, "string", "long", 1)), nil,
			"field r.b: it is string; expected long"},
		{`"int"`, `"double"`, 7, 7.0}, {`"long"`, `"float"`, 7, float32(7)}, {`"float"`, `"double"`, 0.5, 0.5},
		{`"long"`, `"int"`, nil, "it is long; expected int"}, {`"string"`, `"bytes"`, "s", []byte("s")},
		{`"int"`, `["null","long"]`, 7, values{"long": int64(7)}},
		{`["int","long"]`, `"double"`, values{"long": 7}, 7.0},
		{`["null","int"]`, `"int"`, nil, "it is one of null, int: it is null; expected int"},
		{`["string","null"]`, `["null","string"]`, values{"string": "s"}, values{"string": "s"}},
		{`{"type":"fixed","name":"f","size":2}`, `{"type":"fixed","name":"g","size":2}`, []byte("ab"), []byte("ab")},
		{`{"type":"fixed","name":"f","size":2}`, `{"type":"fixed","name":"f","size":3}`, nil, "fixed of 2 bytes; expected"},
		{`{"type":"enum","name":"e","symbols":["A","B"]}`, `{"type":"enum","name":"e","symbols":["A","B","C"]}`, "B", "B"},
		{`{"type":"enum","name":"e","symbols":["A","B"]}`, `{"type":"enum","name":"e","symbols":["B"]}`, nil, "enum of"},
		{`{"type":"array","items":"int"}`, `{"type":"array","items":"double"}`, []any{1, 2}, []any{1.0, 2.0}},
		{`{"type":"map","values":"int"}`, `{"type":"map","values":"long"}`, values{"k": 2}, values{"k": int64(2)}},
		{`{"type":"array","items":"null"}`, `{"type":"array","items":["null","int"]}`, nil, "have no bytes"},
		{fmt.Sprintf(chain, "a.b", "int", ""),
			fmt.Sprintf(chain, "c", "double", `,{"name":"d","type":"bytes","default":"ÿ"}`),
			values{"n": 1, "next": values{"a.b": values{"n": 2, "next": nil}}},
			values{"n": 1.0, "d": []byte{0xff}, "next": values{"c": values{"n": 2.0, "d": []byte{0xff}, "next": nil}}}},
		{record("x", a), record("x", `{"name":"r","default":{"b":"d"},"type":{"type":"record","name":"n","fields":[`+b+`]}}`),
			values{"a": 1}, values{"r": values{"b": "d"}}},
	} {
		got, err := turned(t, test.written, test.wanted, test.v)
		if test.v == nil {
			require.ErrorContains(t, err, test.want.(string))
			continue
		}
		require.NoError(t, err, test.wanted)
		require.Equal(t, test.want, got, test.wanted)
	}
	turn, err := Between(record("main.x", a, nested), record("y", a, nested))
	require.NoError(t, err)
	require.Nil(t, turn, "names alone cost nothing")
}

// Fields in any order, some dropped, some added with defaults and some wider, keep their values.
func TestFieldsInAnyOrder(t *testing.T) {
	type kind struct {
		written, wanted, fallback string
		v, want, otherwise        any
	}
	kinds := []kind{
		{`"int"`, `"int"`, `-7`, 3, int32(3), int32(-7)}, {`"int"`, `"double"`, `0.5`, 3, 3.0, 0.5},
		{`"string"`, `"string"`, `"d"`, "s", "s", "d"}, {`"null"`, `"null"`, `null`, nil, nil, nil},
		{`{"type":"array","items":"long"}`, `["null",{"type":"array","items":"long"}]`, `null`, []any{int64(1)},
			values{"array": []any{int64(1)}}, nil},
		{`"boolean"`, `"boolean"`, `true`, false, false, true},
	}
	rapid.Check(t, func(t *rapid.T) {
		var written, wanted []string
		v, want := values{}, values{}
		for i := range 6 {
			k, name := rapid.SampledFrom(kinds).Draw(t, "kind"), fmt.Sprint("f", i)
			in := rapid.SampledFrom([]string{"written", "wanted", "both"}).Draw(t, "in")
			if in != "wanted" {
				written, v[name] = append(written, fmt.Sprintf(`{"name":%q,"type":%s}`, name, k.written)), k.v
			}
			if in != "written" {
				want[name] = map[bool]any{true: k.want, false: k.otherwise}[in == "both"]
				wanted = append(wanted, fmt.Sprintf(`{"name":%q,"type":%s,"default":%s}`, name, k.wanted, k.fallback))
			}
		}
		record := func(name string, fields []string) string {
			fields = rapid.Permutation(fields).Draw(t, "order")
			return fmt.Sprintf(`{"type":"record","name":%q,"fields":[%s]}`, name, strings.Join(fields, ","))
		}
		got, err := turned(t, record("main.a", written), record("b", wanted), v)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// Damaged bytes are errors, with output at most proportional to the input.
func FuzzTurn(f *testing.F) {
	written := fmt.Sprintf(chain, "a", "int", `,{"name":"m","type":{"type":"map","values":"string"}}`)
	wanted := fmt.Sprintf(chain, "a", "long", `,{"name":"d","type":"string","default":"some"}`)
	turn, err := Between(written, wanted)
	require.NoError(f, err)
	f.Add([]byte{2, 0, 1, 4, 2, 'k', 2, 'v', 0})
	f.Add([]byte{2, 2, 2, 0, 0, 0})
	f.Fuzz(func(t *testing.T, src []byte) {
		out, rest, err := turn(nil, src)
		if err == nil {
			require.LessOrEqual(t, len(out), 20*(len(src)-len(rest)))
		}
		for _, text := range []string{
			string(src), `{"type":"record","name":"r","fields":[{"name":"f","type":` + string(src) + `}]}`,
		} {
			if turn, err := Between(text, wanted); err == nil && turn != nil {
				_, _, _ = turn(nil, src)
			}
		}
	})
}

func TestSchemasThatAreNone(t *testing.T) {
	self := `{"type":"record","name":"r","fields":[{"name":"f","type":"r"}]}`
	turn, err := Between(self, `{"type":"record","name":"r","fields":[]}`)
	require.NoError(t, err)
	_, _, err = turn(nil, nil)
	require.ErrorContains(t, err, "nests more than 10000 records deep")
	_, err = Between(`{"type":"array","items":`+self+`}`, `{"type":"array","items":"int"}`)
	require.ErrorContains(t, err, "have no bytes")
	for text, want := range map[string]string{
		``: "EOF", `7`: "7 is not a type", `"r"`: "not defined", `{"type":"fixed","name":"f"}`: "has no size",
		`{"type":"array"}`: "is not a type",
		`{"type":"record","name":"r","fields":[{"name":"f","type":"int","default":"x"}]}`: "the default of the field",
	} {
		_, err := Between(text, `"int"`)
		require.ErrorContains(t, err, want)
		_, err = Between(`"int"`, text)
		require.ErrorContains(t, err, "the reader's schema: ")
	}
}
