package engine

// depthMax bounds a declared depth: a frame carries the depth of its pebbles in 8 bits.
const depthMax = 255

// tooDeep ends the job: the running handler has sent beyond the declared depth.
func (t *Target) tooDeep() {
	t.Rank.Fail(&DepthError{t.Rank.id, t.Rank.handling.Name, t.Rank.limit})
}

// ThisDepth returns the depth of the pebbles that are being handled, 0 in the main function.
func (t *Target) ThisDepth() uint8 { return uint8(t.Rank.depth) }

// NextDepth returns the depth of the pebbles that are sent now if depths travel apart, and 1 otherwise, so that pebbles
// of different handlers share frames.
func (t *Target) NextDepth() uint8 {
	if !t.Deep {
		return 1
	}
	return uint8(t.Rank.depth + 1)
}

// Handling sets the depth of the pebbles that are handled, until Handled is called.
func (t *Target) Handling(depth uint8) { t.Rank.depth = int(depth) }
