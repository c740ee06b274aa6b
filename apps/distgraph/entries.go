package distgraph

import (
	"encoding/binary"
	"errors"

	"github.com/activepebbles/pebbles/apps"
	"github.com/activepebbles/pebbles/distribution"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/target"
)

// An entry is the pebble that takes a name to the rank whose interval contains it. At is the place of the name among
// the names of rank From; on the way to the owner of the vertex, At is the number of the vertex.
type entry[N name] struct {
	Name   N
	From   uint64
	At     uint64
	Listed uint64 // 1 if a list of vertices contains the name
}

func (e entry[N]) fingerprint() uint64 {
	hash, isID := any(e.Name).(uint64)
	if !isID {
		hash = distribution.HashString(any(e.Name).(string))
	}
	return apps.Fold(hash, e.From<<48^e.At^e.Listed<<40)
}

// sendEntries sends an entry for each name, and passes the entries that arrive to take. It is an epoch.
func sendEntries[N name](r *pebble.Rank, what string, owners distribution.Map, key func(e entry[N]) uint64, names []N,
	entryOf func(at int) entry[N], take func(es []entry[N])) error {
	var tally apps.Tally
	var options []target.Option
	for _, codec := range codecOf[entry[N]](entryCodec{}) {
		options = append(options, target.Coded(codec))
	}
	to := target.New(r, targetOnce(r, what), owners,
		target.Keys(func(es []entry[N], keys []uint64) {
			for i, e := range es {
				keys[i] = key(e)
			}
		}),
		target.Batch(func(es []entry[N]) {
			for _, e := range es {
				tally.Take(e.fingerprint(), owners.Owner(key(e)) == r.ID())
			}
			take(es)
		}), options...)
	defer to.Free()
	err := r.Epoch(func() error {
		out := make([]entry[N], 0, edgesAtOnce)
		for at := range names {
			e := entryOf(at)
			tally.Send(e.fingerprint())
			if out = append(out, e); len(out) == cap(out) {
				to.SendAll(out)
				out = out[:0]
			}
		}
		to.SendAll(out)
		return nil
	}, pebble.Depth(1), pebble.Named(what))
	if err == nil {
		err = tally.Check(r, "number the vertices of the graph by pebbles of "+what)
	}
	return err
}

// codecOf returns codec if it encodes values of type V. Otherwise V is plain data and needs none.
func codecOf[V any](codec any) []pebble.Codec[V] {
	if codec, ok := codec.(pebble.Codec[V]); ok {
		return []pebble.Codec[V]{codec}
	}
	return nil
}

// entryCodec is the codec of entries of strings.
type entryCodec struct{}

func (entryCodec) Append(dst []byte, e entry[string]) ([]byte, error) {
	for _, n := range []uint64{e.From, e.At, e.Listed} {
		dst = binary.AppendUvarint(dst, n)
	}
	return append(dst, e.Name...), nil
}

func (entryCodec) Decode(src []byte) (e entry[string], err error) {
	for _, to := range []*uint64{&e.From, &e.At, &e.Listed} {
		n := 0
		if *to, n = binary.Uvarint(src); n <= 0 {
			return e, errors.New("the entry of a name is damaged")
		}
		src = src[n:]
	}
	e.Name = string(src)
	return e, nil
}

// Schema names the wire format.
func (entryCodec) Schema() string { return "graph entry" }
