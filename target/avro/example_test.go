package avro_test

import (
	"fmt"

	"github.com/activepebbles/pebbles/target/avro"
)

type Visit struct {
	URL   string `avro:"url"`
	Links []string
	Depth uint8
	cache map[string]int `avro:"-"`
}

func Example() {
	visits, err := avro.New[Visit]()
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := visits.Append(nil, Visit{URL: "https://go.dev", Links: []string{"/doc", "/blog"}, Depth: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := visits.Decode(b)
	fmt.Println(len(b), v.URL, v.Links, v.Depth, v.cache == nil, err)

	_, err = visits.Decode(b[:20])
	fmt.Println(err)
	_, err = avro.New[struct{ Done chan bool }]()
	fmt.Println(err)
	// Output:
	// 29 https://go.dev [/doc /blog] 1 true <nil>
	// decode avro_test.Visit: field Links[0]: a length of 4 exceeds the 3 bytes that follow: bytes are cut short
	// derive schema of struct { Done chan bool }: field Done: chan bool cannot travel: it means nothing on another rank: send data, or leave the field out with `avro:"-"`
}
