package model

// Part is a line of a prediction: its name, its value, and its formula.
type Part struct {
	Name    string
	Value   float64
	Unit    string // "s", "B", "" for numbers
	Formula string
}

// Parts returns the values of a prediction, and the formula of each: with n pebbles per rank, P ranks, C pebbles per
// buffer, k neighbours, H hops in the mean, s of the longest route, h the hit rate of a cache, and o, g, G and L summed
// over classes of links.
func (r Prediction) Parts() []Part {
	return []Part{
		{"time", r.Seconds, "s", "the sum of the parts below"},
		{"pebbles", r.Pebble, "s", "n·send + handled·handle + forwarded·forward + looks·c (o_p: Active Pebbles, 3 " +
			"and 3.5)"},
		{"overhead", r.Overhead, "s", "frames of a rank · (2o + frame) (Active Pebbles, 3.3)"},
		{"gap", r.Gap, "s", "(frames of a rank - 1) · g, times the ranks that share an interface (Active Pebbles, " +
			"3.3)"},
		{"bytes", r.Byte, "s", "bytes of a rank · G, times the ranks that share an interface (Active Pebbles, 3.3)"},
		{"latency", r.Latency, "s", "s·L + (s-1)·(2o + bytes of a frame · G): the hops of the longest route (Active " +
			"Pebbles, 3.4)"},
		{"termination", r.Termination, "s", r.formula + ", each 2o + L + 16·G"},
		{"time if overlapped", r.Overlapped, "s", "max(pebbles + overhead, gap + bytes) + latency + termination " +
			"(TRAM, VI.B)"},
		{"buffer fills in", r.Fill, "s", "C·k over the rate of pebbles, g/r for each hop (TRAM, IV.C, table I), at " +
			"most the time"},
		{"frames", r.Frames, "", "over all links: the mean of ⌈pebbles of the link / C⌉; Nz/g with full buffers " +
			"(TRAM, table I)"},
		{"frame filled to", r.FrameFill, "", "pebbles over frames · C"},
		{"bytes of frames", r.Bytes, "B", "pebbles · hops · bytes + frames · header: Nz(m + e/g) with full buffers " +
			"(TRAM, table I)"},
		{"forwarded", r.Forwarded, "", "n·P·(H-1), less what reductions keep back (Active Pebbles, 3.4 and 3.5)"},
		{"merged", r.Merged, "", "n·(1 - (1-h)^H) (Active Pebbles, 3.5)"},
		{"hops at most", float64(r.Hops), "", "s: longest route of the topology (Active Pebbles, 3.4)"},
		{"hops in the mean", r.MeanHops, "", "H: counted over routes; N·(s-1)/s for a mesh (TRAM, V.B, table II)"},
		{"buffers", float64(r.Buffers), "", "k: P-1 direct, log2 P on a hypercube (Active Pebbles, 3.4), Σ(s-1) on a " +
			"mesh (TRAM, III.C)"},
		{"memory of buffers", r.BufferBytes, "B", "m·g·k (TRAM, V.A)"},
		{"termination steps", float64(r.Messages), "", "messages that follow each other at the end of an epoch " +
			"(Active Pebbles, 3.6)"},
	}
}
