package memory

// handle names what was allocated: the partition of the directory, and the index there, from 1 on, which is never used
// again (XLUPC, section 2.1). Partition r is of what rank r has allocated alone, and partition P, with P ranks, of what
// all have allocated together. The zero value names nothing.
//
// Ranks expose what they have allocated together in one piece a process. The address cache has it under the partition
// P+1+p, for process p.
type handle uint64

const (
	indexBits   = 32
	objectsMax  = 1<<indexBits - 1 // of a partition
	elementBits = 44
	elementsMax = 1 << elementBits // of an array: a reference has so many bits for the element
	tagMax      = 1<<(64-elementBits) - 1
)

func newHandle(partition, index int) handle { return handle(partition)<<indexBits | handle(index) }

func (h handle) partition() int { return int(h >> indexBits) }
func (h handle) index() int     { return int(h & objectsMax) }
