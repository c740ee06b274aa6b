package main

import (
	"fmt"
	"os"
)

func Example() {
	fmt.Println(follow(os.Stdout))
	// Output:
	// time	what	from	to	target	epoch	pebbles	bytes
	// 5.828µs	send	0	1	0	1	2	16
	// 7.836µs	take	0	1	0	1	2	16
	// 9.094µs	send	1	3	0	1	2	16
	// 11.102µs	take	1	3	0	1	2	16
	// rank 0 handles a pebble for key 0 at 5.178µs
	// rank 3 handles a pebble for key 3 at 11.108µs
	// rank 3 handles a pebble for key 3 at 11.108µs
	// <nil>
}
