package contagion

import (
	"unsafe"

	"github.com/activepebbles/pebbles/apps"
)

// visit is the pebble from a person to a location: 36 bytes, as in the paper.
type visit struct {
	Location, Person, Place uint32
	Arrive, Depart          int32   // seconds since midnight
	Day, Number             uint32  // which of the person's visits on the day it is
	State                   uint32  // of the disease
	Modifier                float32 // of the susceptibility
}

const visitBytes = int(unsafe.Sizeof(visit{}))

func (v *visit) fingerprint() uint64 {
	return apps.Fold(uint64(v.Location)<<32|uint64(v.Person),
		uint64(v.Number)<<48^uint64(v.Day)<<40^uint64(v.State)<<24^
			uint64(v.Place)<<20^uint64(uint32(v.Arrive))<<18^uint64(uint32(v.Depart)))
}

func locationsOf(vs []visit, keys []uint64) {
	for i := range vs {
		keys[i] = uint64(vs[i].Location)
	}
}
