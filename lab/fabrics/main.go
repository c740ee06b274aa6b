//go:build unix

// Command fabrics is a job whose last rank comes late to a barrier. Each process prints the share of a core that it has
// used while it waited. lab/fabrics/run starts it over the providers of libfabric.
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/activepebbles/pebbles/pebble"

	_ "github.com/activepebbles/pebbles/netio/ofi"
)

func main() {
	late := flag.Duration("late", 5*time.Second, "how long the last rank sleeps before the barrier")
	options := pebble.Flags(flag.CommandLine)
	flag.Parse()
	options.Main(os.Stdout, func(r *pebble.Rank) error {
		if err := r.Barrier(); err != nil {
			return err
		}
		began, used := time.Now(), processor()
		if r.ID() == r.Size()-1 {
			time.Sleep(*late)
		}
		err := r.Barrier()
		fmt.Fprintf(os.Stderr, "waited: %.4f\n", (processor()-used).Seconds()/time.Since(began).Seconds())
		return err
	})
}

// processor returns the processor time of this process on all cores.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
