package avro_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/linkedin/goavro/v2"
	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/target/avro"
)

const here = `github_com.activepebbles.pebbles.target.avro_test.`

func TestSchema(t *testing.T) {
	require.Equal(t, `"long"`, avro.Must[uint64]().Schema())
	require.Equal(t, `{"type":"array","items":"bytes"}`, avro.Must[[][]byte]().Schema())
	require.Equal(t, `{"name":"`+here+`node","type":"record","fields":[{"name":"Value","type":"int"},`+
		`{"name":"Left","type":["null","`+here+`node"]},{"name":"Right","type":["null","`+here+`node"]}]}`,
		avro.Must[node]().Schema())
	require.Equal(t, `{"name":"`+here+`pair_string__3_uint8_","type":"record","fields":[{"name":"First","type":"string"},`+
		`{"name":"Second","type":{"name":"go.bytes3","type":"fixed","size":3}}]}`,
		avro.Must[pair[string, [3]byte]]().Schema())
}

func TestSchemaIsDeterministicAndCanonical(t *testing.T) {
	c := avro.Must[everything]()
	for range 10 {
		again := avro.Must[everything]()
		require.Equal(t, c.Schema(), again.Schema())
		require.Equal(t, c.Fingerprint(), again.Fingerprint())
	}
	other, err := goavro.NewCodec(c.Schema())
	require.NoError(t, err)
	require.Equal(t, c.Schema(), other.CanonicalSchema())
	require.Equal(t, c.Fingerprint(), other.Rabin)
	require.NotEqual(t, c.Fingerprint(), avro.Must[node]().Fingerprint())
}

func TestTypesOfOneNameAreToldApart(t *testing.T) {
	type twin struct{ A int }
	outer := twin{A: 1}
	{
		type twin struct{ B string }
		schema := comesBack(t, pairOf(outer, pairOf(twin{B: "b"}, outer)))
		require.Contains(t, schema, `"`+here+`twin"`)
		require.Contains(t, schema, `"`+here+`twin_2"`)
	}
	schema := comesBack(t, pairOf(struct{ X int }{1}, struct{ Y string }{"y"}))
	require.Contains(t, schema, `"go.struct"`)
	require.Contains(t, schema, `"go.struct_2"`)
}

func pairOf[A, B any](a A, b B) pair[A, B] { return pair[A, B]{a, b} }

func comesBack[V any](t *testing.T, v V) (schema string) {
	t.Helper()
	require.Equal(t, v, through(t, v))
	return avro.Must[V]().Schema()
}

func refuses[V any](t *testing.T, words ...string) {
	t.Helper()
	c, err := avro.New[V]()
	require.Nil(t, c)
	for _, w := range words {
		require.ErrorContains(t, err, w)
	}
	require.PanicsWithValue(t, "avro: "+err.Error(), func() { avro.Must[V]() })
}

type (
	loop   []loop
	loops  map[string]*loops
	deep   struct{ Next pair[int, []inner] }
	inner  struct{ Ch map[string]chan int }
	secret struct{ a int }
	empty  struct{ E struct{} }
)

func TestRefusals(t *testing.T) {
	_ = secret{}.a
	refuses[deep](t, "derive schema of avro_test.deep: field Next.Second[].Ch[]: chan int cannot travel", "`avro:\"-\"`")
	refuses[any](t, "derive schema of interface {}", "a receiver cannot know its type")
	refuses[[]error](t, "element []: error cannot travel")
	refuses[struct{ F func() }](t, "field F: func() cannot travel")
	refuses[struct{ C complex128 }](t, "field C", "its real and its imaginary part")
	refuses[struct{ When time.Time }](t, "field When: time.Time cannot travel", "UnixNano")
	refuses[struct{ When *time.Time }](t, "field When: time.Time cannot travel")
	refuses[struct{ M map[int]string }](t, "field M: map[int]string cannot travel", "keys are strings")
	refuses[struct{ P **int }](t, "field P: **int cannot travel", "one pointer")
	refuses[struct{ Secret secret }](t, "field Secret.a: it is not exported")
	refuses[big.Int](t, "field neg: it is not exported")
	refuses[struct{ E []empty }](t, "field E: []avro_test.empty cannot travel", "send their number")
	refuses[[4]struct{}](t, "[4]struct {} cannot travel")
	refuses[struct{ L loop }](t, "field L[]: avro_test.loop cannot travel", "put a struct in between")
	refuses[loops](t, "avro_test.loops cannot travel: it contains itself")
	refuses[struct{ Größe int }](t, "field Größe", `"Größe" is not a name in Avro`, "`avro:\"name\"`")
	refuses[struct {
		A int `avro:"a,omitempty"`
	}](t, `"omitempty" is not an option: give a default in JSON`)
	refuses[struct {
		A int `avro:",default=x"`
	}](t, `"default=x" is not an option`)
	refuses[struct {
		A int `avro:",default=true"`
	}](t, "default")
	refuses[struct {
		A int `avro:"B"`
		B int
	}](t, `field B: field A is called "B" too`)
}
