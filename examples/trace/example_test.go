package main

import (
	"fmt"
	"os"
)

func Example() {
	fmt.Println(follow(os.Stdout))
	// Output:
	// # picoseconds	what	from	to	kind	target	epoch	pebbles	bytes	seq	tag
	// 5828000	send	0	1	data	0	1	2	16	0	0
	// 7836000	take	0	1	data	0	1	2	16	0	0
	// 9094000	send	1	3	data	0	1	2	16	0	0
	// 11102000	take	1	3	data	0	1	2	16	0	0
	// rank 0 handles a pebble for key 0 at 5.178µs
	// rank 3 handles a pebble for key 3 at 11.108µs
	// rank 3 handles a pebble for key 3 at 11.108µs
	// <nil>
}
