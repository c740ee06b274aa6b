package ingest

// adjacency reads adjacency lists: each line has a vertex, and the heads of arcs from it.
type adjacency struct{ *input }

func (adjacency) prepare() error { return nil }

func (adjacency) head(int) edgeHead { return edgeHead{Directed: true, Of: AdjacencyList} }

func (a adjacency) read(p piece, yield func(Edge) bool) error {
	return a.readStream(p, func(p *part) error {
		if !p.start() {
			return p.ended()
		}
		return p.lines(func(line []byte, _ int64) error {
			if line = blanks(line); len(line) == 0 || isComment(line, edgeComment) {
				return nil
			}
			return rowOf(p, func(give func(Edge) bool) error { return a.each(line, give) }, yield)
		})
	})
}

// each calls yield with the arcs of a line until yield wants no more; then it returns errStop.
func (a adjacency) each(line []byte, yield func(Edge) bool) (err error) {
	e := Edge{Weight: a.missing}
	if e.From, line, err = a.vertex(line); err != nil {
		return err
	}
	if len(line) == 0 && a.alone != nil {
		a.alone(e.From)
	}
	for len(line) > 0 {
		if e.To, line, err = a.vertex(line); err != nil {
			return err
		}
		if !yield(e) {
			return errStop
		}
	}
	return nil
}

// rowOf gives the edges of a row: all of them, or those before the first mistake where that ends the job. each calls a
// function with the edges of the row.
func rowOf(p *part, each func(give func(Edge) bool) error, yield func(Edge) bool) error {
	if p.skip > 0 {
		if err := each(func(Edge) bool { return true }); err != nil {
			return p.bad(err)
		}
	}
	err := each(func(e Edge) bool { p.Rows++; return yield(e) })
	if err != nil && err != errStop {
		return p.bad(err)
	}
	return err
}
