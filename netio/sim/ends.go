package sim

import "fmt"

// Ends is what frames cost the two ranks of a link beyond the overheads, by class. The zero value is nothing.
type Ends struct {
	Process End `json:"within_process"`
	Host    End `json:"within_host"`
	Between End `json:"between_hosts"`
}

// End is what frames cost either rank of a link beyond o: it has the processor, where G only has the wire. Frames that leave one
// after the other, while their sender neither pauses nor waits, share a system call, as those of TCP do: a batch.
type End struct {
	PerByte float64 `json:"per_byte"` // seconds for each byte of a payload: the O of LogGOPS (Hoefler, Schneider and Lumsdaine 2010)
	Batch   float64 `json:"batch"`    // seconds for each batch
}

// Frames share a system call up to so many bytes, and when no more than so long lies between them: what package netio promises.
const (
	batchBytes = 64 << 10
	batchTime  = 1_000_000 * nanosecond
)

// batch is what has last left a rank for another process.
type batch struct {
	room int     // bytes that may still go with it
	ends instant // when it leaves
}

func (e Ends) check() error {
	for class, end := range []End{e.Process, e.Host, e.Between} {
		for name, t := range map[string]float64{"per_byte": end.PerByte, "batch": end.Batch} {
			if !(t >= 0 && t <= spanMax) {
				return fmt.Errorf("sim: network: %s of the ends %s is %v: times are seconds, from 0 to %d", name, classNames[class], t, spanMax)
			}
		}
	}
	return nil
}

// end is how long a frame keeps either of its ends. opens tells that it is the first of a batch.
func (c *charges) end(k class, bytes uint32, opens bool) instant {
	takes := c.overhead[k] + instant(c.endByte[k]*float64(bytes))
	if opens {
		takes += c.batch[k]
	}
	return takes
}

// opens tells whether a frame for another process begins a batch, where batches cost something.
func (r *rank) opens(k class, to *rank, bytes uint32) bool {
	if r.world.charges.batch[k] == 0 {
		return false
	}
	if r.batches == nil {
		r.batches = map[*Process]batch{}
	}
	b := r.batches[to.process]
	first := b.room <= 0 || r.clock > b.ends
	if first {
		b = batch{batchBytes, r.clock + batchTime}
	}
	b.room -= headBytes + int(bytes)
	r.batches[to.process] = b
	return first
}
