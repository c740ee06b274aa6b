package engine

// depthMax bounds a declared depth: a frame carries the depth of its pebbles in 8 bits.
const depthMax = 255

// tooDeep ends the job: the handler that runs has sent beyond the declared depth.
func (r *Rank) tooDeep() {
	r.Fail(r.job.config.Errors.Depth(r.id, r.handling.Name, r.limit))
}

// ThisDepth is the depth of the pebbles that are being handled, 0 in the main function.
func (t *Target) ThisDepth() uint8 { return uint8(t.depth) }

// NextDepth is the depth of the pebbles that are sent now, as far as frames must tell it: otherwise those that handlers
// send would travel apart from each other for nothing.
func (t *Target) NextDepth() uint8 {
	if !t.Deep {
		return 1
	}
	return uint8(t.depth + 1)
}

// Handling marks that the pebbles handled from here on are of this depth. Handled takes it back.
func (t *Target) Handling(depth uint8) { t.depth = int(depth) }
