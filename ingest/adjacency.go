package ingest

// adjacency reads adjacency lists. Each line has a vertex and the heads of its arcs.
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

// each calls yield with the arcs of a line. It returns errStop when yield returns false.
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

// rowOf yields the edges of a row. Where a mistake ends the job, it yields the edges before the first mistake; where
// bad records are skipped, it yields none of a bad row. each calls a function with the edges of the row.
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
