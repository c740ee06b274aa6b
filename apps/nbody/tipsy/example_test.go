package tipsy_test

import (
	"bytes"
	"fmt"

	"github.com/activepebbles/pebbles/apps/nbody/gravity"
	"github.com/activepebbles/pebbles/apps/nbody/tipsy"
)

func ExampleOpen() {
	var b bytes.Buffer
	if err := tipsy.Write(&b, 0.5, []gravity.Particle{{Mass: 2}, {Mass: 1}}, []float64{-1, -2}); err != nil {
		fmt.Println(err)
		return
	}
	f, err := tipsy.Open("two.bin", bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		fmt.Println(err)
		return
	}
	all := make([]gravity.Particle, f.Particles())
	err = f.Read(0, all)
	fmt.Println(f.Time(), all[0].Mass, all[1].Mass, err)
	// Output: 0.5 2 1 <nil>
}
