package pebble

import (
	"encoding/binary"

	"github.com/activepebbles/pebbles/internal/collective"
	"github.com/activepebbles/pebbles/tune"
)

// order is what rank 0 tells all others to run the next epochs with.
type order struct {
	epochs  int
	setting tune.Setting
}

func (o order) bytes() []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(o.epochs))
	b = binary.LittleEndian.AppendUint64(b, uint64(o.setting.Coalesce))
	b = binary.LittleEndian.AppendUint64(b, uint64(o.setting.Cache))
	return append(b, o.setting.Topology...)
}

func orderOf(b []byte) order {
	number := func(i int) int { return int(binary.LittleEndian.Uint64(b[8*i:])) }
	return order{number(0), tune.Setting{Topology: string(b[orderBytes:]), Coalesce: number(1), Cache: number(2)}}
}

// orderBytes is the length of an order that leaves the topology as it is.
const orderBytes = 24

// spread is the way of an order from rank 0 to all.
func (r *Rank) spread() []collective.Step { return collective.Broadcast(r.id, r.Size(), 0) }
