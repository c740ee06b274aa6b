package sim

// Fabric is the physical network between hosts.
type Fabric struct{}

func (f Fabric) check() error { return nil }

type fabric struct{}

func newFabric(f Fabric, hosts int) *fabric { return nil }

func (f *fabric) cross(from, to int, at instant, wire float64) instant { return at }
