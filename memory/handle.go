package memory

// handle names an allocation: the partition of the directory, and the index there, from 1 on, which is never used again
// (XLUPC, section 2.1). With P ranks, partition r < P has the allocations of rank r alone, and partition P the common
// allocations of all ranks. The zero value names nothing.
//
// Each process exposes its part of a common allocation in one piece. The address cache has it under the partition
// P+1+p, for process p.
type handle uint64

const (
	indexBits   = 32
	objectsMax  = 1<<indexBits - 1 // of a partition
	elementBits = 44
	elementsMax = 1 << elementBits // of an array: the bits that a reference has for the element
	tagMax      = 1<<(64-elementBits) - 1
)

func newHandle(partition, index int) handle { return handle(partition)<<indexBits | handle(index) }

func (h handle) partition() int { return int(h >> indexBits) }
func (h handle) index() int     { return int(h & objectsMax) }
