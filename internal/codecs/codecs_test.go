package codecs

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

type text struct{}

func (text) Append(dst []byte, v string) ([]byte, error) {
	if v == "bad" {
		return dst, errors.New("a bad word")
	}
	return append(dst, v...), nil
}

func (text) Decode(src []byte) (string, error) {
	if string(src) == "worse" {
		return "", errors.New("a worse word")
	}
	return string(src), nil
}

// letter is a pebble of ours: two values, and the sender.
type letter struct {
	A    string
	B    uint16
	From uint32
}

func letters() Codec[letter] {
	var l letter
	return Pebbles[letter](Struct(reflect.TypeFor[letter](), Tag[uint32](unsafe.Offsetof(l.From)),
		Field{Value: Of[string](text{})}, Field{At: unsafe.Offsetof(l.B), Value: Value{Type: reflect.TypeFor[uint16]()}}))
}

// Pebbles come back whole after other bytes. Truncated bytes and bad values are an error, never a panic.
func TestPebblesComeBack(t *testing.T) {
	c := letters()
	for _, word := range []string{"", "a", "worse", strings.Repeat("long ", 100_000)} {
		l := letter{word, uint16(len(word)), 1 << 31}
		b, err := c.Append([]byte("before"), l)
		require.NoError(t, err)
		require.Equal(t, "before", string(b[:6]))
		require.Len(t, b, 6+4+4+len(word)+2)
		back, err := c.Decode(b[6:])
		if word == "worse" {
			require.ErrorContains(t, err, "a worse word")
			continue
		}
		require.NoError(t, err)
		require.Equal(t, l, back)
		for n := range min(len(b)-6, 20) {
			_, err := c.Decode(b[6 : 6+n])
			require.Error(t, err, n)
		}
	}
	_, err := c.Append(nil, letter{A: "bad"})
	require.ErrorContains(t, err, "a bad word")
	require.Equal(t, "uint32 of 4 bytes, codecs.text, uint16 of 2 bytes", Schema(c))
}

func FuzzDecode(f *testing.F) {
	b, err := letters().Append(nil, letter{"a", 1, 2})
	require.NoError(f, err)
	f.Add(b)
	f.Fuzz(func(t *testing.T, src []byte) {
		l, err := letters().Decode(src)
		if err == nil && l.A != "bad" {
			b, err := letters().Append(nil, l)
			require.NoError(t, err)
			require.Equal(t, src, b)
		}
	})
}

// A list of values by address has the values that were added. Truncated lists are an error.
func TestListsByPlace(t *testing.T) {
	v, list, want := Of[string](text{}), []byte(nil), []string{"a", "", "bc"}
	require.Equal(t, "codecs.text", v.Schema())
	for i := range want {
		var err error
		list, err = v.AppendTo(list, unsafe.Pointer(&want[i]))
		require.NoError(t, err)
	}
	for n := range len(list) + 1 {
		var got []string
		err := v.Each(list[:n], func() unsafe.Pointer {
			got = append(got, "")
			return unsafe.Pointer(&got[len(got)-1])
		})
		if whole := n == 0 || n == 5 || n == 9 || n == len(list); !whole {
			require.ErrorIs(t, err, errCut)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, want[:len(got)], append([]string{}, got...))
	}
	bad := "bad"
	_, err := v.AppendTo(nil, unsafe.Pointer(&bad))
	require.ErrorContains(t, err, "a bad word")
	require.ErrorContains(t,
		v.Each([]byte("\x05\x00\x00\x00worse"), func() unsafe.Pointer { return unsafe.Pointer(&bad) }),
		"a worse word")
	_, err = Derive(reflect.TypeFor[chan int]())
	require.ErrorContains(t, err, "chan int has no codec")
}

// Each codec goes to all values of its type, the last one counts, and errors name the option to add.
func TestShare(t *testing.T) {
	q, a, n := NewItem[string]("question"), NewItem[string]("answer"), NewItem[int]("number")
	item, other := NewItem[string]("item"), NewItem[int]("other")
	require.NoError(t, Share([]any{text{}}, &q, &a, &n, &item, &other))
	require.Equal(t, []bool{true, true, false}, []bool{q.Is(text{}), a.Is(text{}), n.Coded()})
	require.True(t, item.Is(text{}))
	require.Equal(t, text{}, Pebbles[string](item.Value))
	require.Equal(t, []bool{true, false}, []bool{item.Coded(), other.Coded()})
	require.Equal(t, "its item a string", item.String())
	item = NewItem[string]("item")
	require.ErrorContains(t, Share(nil, &item), "its item: type string is not plain data")

	for _, c := range []struct {
		given []any
		want  string
	}{
		{nil, "its question: type string is not plain data: string is a string, which means nothing on another rank: " +
			"add target.Coded(pebble.Strings{}), or another codec of it"},
		{[]any{nil}, ErrNone.Error()},
		{[]any{text{}, 1}, "target.Coded got a int, which is a codec of none of these values: " +
			"its question is a string, its number a int"},
	} {
		q, n := NewItem[string]("question"), NewItem[int]("number")
		require.EqualError(t, Share(c.given, &q, &n), c.want)
	}
	for want, p := range map[string]Item{
		"pebble.Bytes{}":             NewItem[[]byte](""),
		"avro.Must[[]string]()":      NewItem[[]string](""),
		"avro.Must[codecs.letter]()": NewItem[letter](""),
	} {
		require.ErrorContains(t, Share(nil, &p), fmt.Sprintf("add target.Coded(%s), or", want))
	}
}
