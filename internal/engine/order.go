package engine

import (
	"encoding/binary"
	"fmt"
	"math"

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

// orderOf takes an order from bytes, at least orderBytes of them.
func orderOf(b []byte) order {
	number := func(i int) int { return int(binary.LittleEndian.Uint64(b[8*i:])) }
	return order{number(0), tune.Setting{Topology: string(b[orderBytes:]), Coalesce: number(1), Cache: number(2)}}
}

// wrong tells in words why an order that another process sent can't be followed; "" when it can. Its first number is how many epochs
// it is for, or which.
func (o order) wrong() string {
	switch {
	case o.epochs < 0 || o.epochs > math.MaxUint32:
		return fmt.Sprintf("its order is for epoch, or epochs, %d", o.epochs)
	case o.setting.Coalesce <= 0 || o.setting.Coalesce > math.MaxInt32:
		return fmt.Sprintf("its order has a coalescing factor of %d: a buffer holds at least one pebble", o.setting.Coalesce)
	case o.setting.Cache < 0:
		return fmt.Sprintf("its order has a cache of %d entries", o.setting.Cache)
	}
	return ""
}

// orderBytes is the length of an order that leaves the topology as it is.
const orderBytes = 24

// spread is the way of an order from rank 0 to all.
func (r *Rank) spread() []collective.Step { return collective.Broadcast(r.id, r.Size(), 0) }
