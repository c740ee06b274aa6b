package record

import "fmt"

// problemsMost bounds the problems that a record lists.
const problemsMost = 64

// problems are what could not be read.
type problems struct {
	list []string
	more int
}

func (p *problems) add(format string, values ...any) {
	if len(p.list) == problemsMost {
		p.more++
		return
	}
	p.list = append(p.list, fmt.Sprintf(format, values...))
}

func (p *problems) all() []string {
	if p.more == 0 {
		return p.list
	}
	return append(p.list, fmt.Sprintf("and %d problems more", p.more))
}
