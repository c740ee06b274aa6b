package model

// Aggregation is what TRAM's analysis speaks of (TRAM, section IV.C), in its own letters.
type Aggregation struct {
	Payload float64 // m: bytes of an item
	Header  float64 // e: bytes of a message's header
	Alpha   float64 // α: seconds of overhead a message
	Beta    float64 // β: seconds a byte
	Buffer  float64 // g: items a buffer
	Rate    float64 // r: items a second that are submitted
	Dims    float64 // N: dimensions of the mesh, which is messages on the longest route
	Links   float64 // l: links of the network that a message crosses, in the mean
	Items   float64 // z: items in all
}

// Performance is a column of TRAM's table I.
type Performance struct {
	Latency  float64 // seconds of an item, from submission to delivery
	Usage    float64 // bytes times links of the network
	Injected float64 // bytes
	Messages float64
}

// Direct is one message an item (TRAM, table I, first column).
func (a Aggregation) Direct() Performance {
	return Performance{
		Latency:  a.Alpha + a.Beta*(a.Payload+a.Header),
		Usage:    a.Links * a.Items * (a.Payload + a.Header),
		Injected: a.Items * (a.Payload + a.Header),
		Messages: a.Items,
	}
}

// Lower is with full buffers that each go straight to the owner (TRAM, table I, second column).
func (a Aggregation) Lower() Performance {
	return Performance{
		Latency:  a.Alpha + a.Beta*(a.Buffer*a.Payload+a.Header),
		Usage:    a.Links * a.Items * (a.Payload + a.Header/a.Buffer),
		Injected: a.Items * (a.Payload + a.Header/a.Buffer),
		Messages: a.Items / a.Buffer,
	}
}

// Upper is with full buffers on routes of N messages, each of which waits for a buffer to fill (TRAM, table I, third column).
func (a Aggregation) Upper() Performance {
	lower := a.Lower()
	return Performance{
		Latency:  a.Dims * (lower.Latency + a.Buffer/a.Rate),
		Usage:    lower.Usage,
		Injected: a.Dims * lower.Injected,
		Messages: a.Dims * lower.Messages,
	}
}

// MeshMessages counts, for each number of messages from 0 on, the ranks of a mesh that so many messages reach from one of them
// (TRAM, table II). Where all dimensions have d ranks that is the binomial of equation 3, C(N, a)·(d-1)^a; in general it is a
// sum over the choices of a dimensions.
func MeshMessages(dims ...int) []float64 {
	counts := []float64{1}
	for _, d := range dims {
		counts = append(counts, 0)
		for a := len(counts) - 1; a > 0; a-- {
			counts[a] += counts[a-1] * float64(d-1)
		}
	}
	return counts
}

// MeshMemory is the bytes of buffers of one rank of a mesh: m·g·Σ(s-1) (TRAM, section V.A).
func MeshMemory(payload, buffer int, dims ...int) float64 {
	peers := 0
	for _, d := range dims {
		peers += d - 1
	}
	return float64(payload) * float64(buffer) * float64(peers)
}

// FillSeconds is how long a buffer takes to fill when a rank submits items to random ranks at a rate, and forwards as many as
// others forward for it: items pass `hops` buffers each in the mean, and spread over the buffers of a rank (TRAM, sections IV.C
// and V.B). With hops = buffers = 1 it is the g/r of table I; buffers of a mesh fill N(P-1)/Σ(s-1) times as fast as those of
// direct sends.
func FillSeconds(buffer, rate, hops, buffers float64) float64 {
	return buffer * buffers / (rate * hops)
}
