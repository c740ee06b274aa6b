package avro_test

import "math"

// These are the types in tests; together they use every kind and every rule.

type integers struct {
	I   int
	I8  int8
	I16 int16
	I32 int32
	I64 int64
	U   uint
	U8  uint8
	U16 uint16
	U32 uint32
	U64 uint64
	UP  uintptr
}

type (
	flag   bool
	word   string
	octet  byte
	blob   []octet
	digest [16]byte
	list   []word
	link   *Base
)

type Base struct {
	ID   uint64
	Name string
}

type hidden struct{ Count int }

type node struct {
	Value int32
	Left  *node
	Right *node
}

type Chain struct{ Next *Chain }

type tree struct {
	Label string
	Sub   []tree
	Named map[string]tree
}

type first struct{ Other *second }

type second struct {
	Others []first
	Self   *second
}

type pair[A, B any] struct {
	First  A
	Second B
}

type everything struct {
	Base
	hidden
	*Chain
	Integers integers
	Flag     flag
	Word     word `avro:"wort"`
	Blob     blob
	Octets   []octet
	Digest   digest
	Digests  []digest
	Raw      [3]byte
	Again    map[string][3]byte
	List     list
	Grid     [2][3]int16
	None     [0]byte
	Set      map[word]struct{}
	Table    map[string]map[string][]int64
	Link     link
	Number   *uint64
	Text     *string
	Bytes    *[]byte
	Slice    *[]int
	Map      *map[string]bool
	Array    *[2]bool
	Empty    *struct{}
	Inline   struct{ X, Y int8 }
	Inlines  []struct{ X, Y int8 }
	Pair     pair[int, string]
	Pairs    []pair[word, *pair[int, string]]
	Tree     tree
	Left     int `avro:"-"`
	_        [8]byte
}

var edges = []uint64{0, 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64}
