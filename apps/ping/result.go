package ping

import (
	"fmt"

	"github.com/activepebbles/pebbles/apps"
)

// Result is what a run tells.
type Result struct {
	apps.Report
	Bytes             int     `json:"bytes"`    // of a message
	Messages          uint64  `json:"messages"` // of all streams
	Streams           int     `json:"streams"`
	MessagesPerSecond float64 `json:"messages_per_second"`
	BytesPerSecond    float64 `json:"bytes_per_second"`
}

// result is what is known before the run.
func (b *bench) result() Result {
	report := apps.NewReport(b.rank, "ping", b.config.Seed)
	report.Cache = 0
	streams := b.streams.count()
	return Result{Report: report, Bytes: b.config.Bytes, Messages: b.config.Messages * uint64(streams), Streams: streams}
}

func (r *Result) rate() {
	r.MessagesPerSecond = float64(r.Messages) / max(r.Seconds, 1e-9) // a coarse clock may not have moved
	r.BytesPerSecond = r.MessagesPerSecond * float64(r.Bytes)
}

// Rows is the result for display: labels and values.
func (r Result) Rows() [][2]string {
	streams := "1 stream"
	if r.Streams > 1 {
		streams = fmt.Sprintf("%d streams", r.Streams)
	}
	return [][2]string{
		{"messages", fmt.Sprintf("%d of %d bytes in %s", r.Messages, r.Bytes, streams)},
		{"messages a second", fmt.Sprintf("%.4g million", r.MessagesPerSecond/1e6)},
		{"bytes a second", fmt.Sprintf("%.4g billion", r.BytesPerSecond/1e9)},
	}
}
