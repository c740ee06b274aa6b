package limits

import "time"

// Report is the result of every limit; its JSON form is one object.
type Report struct {
	App     string  `json:"app"`
	Procs   int     `json:"procs"`
	Bytes   uint64  `json:"bytes"`   // moved in total, one way
	Seconds float64 `json:"seconds"` // of the timed part only
	Errors  uint64  `json:"errors"`  // number of wrong words

	Updates          uint64  `json:"updates,omitempty"`
	UpdatesPerSecond float64 `json:"updates_per_second,omitempty"`
	BytesPerSecond   float64 `json:"bytes_per_second,omitempty"`
	Hops             uint64  `json:"hops,omitempty"`
	SecondsPerHop    float64 `json:"seconds_per_hop,omitempty"` // one way, of a ping-pong
	Checksum         string  `json:"checksum,omitempty"`

	Elements          uint64  `json:"elements,omitempty"`
	ElementsPerSecond float64 `json:"elements_per_second,omitempty"`
}

// streamed completes the report of a stream of bytes.
func (r *Report) streamed(bytes uint64, took time.Duration) {
	r.Bytes, r.Seconds = bytes, took.Seconds()
	r.BytesPerSecond = float64(bytes) / r.Seconds
}

// pingPong completes the report of a ping-pong.
func (r *Report) pingPong(rounds, bytes int, took time.Duration) {
	r.Bytes, r.Seconds = uint64(rounds)*uint64(bytes), took.Seconds()
	r.Hops = 2 * uint64(rounds)
	r.SecondsPerHop = r.Seconds / float64(r.Hops)
}
