package collective

import (
	"encoding/binary"
	"iter"
)

// recordHead is the number of bytes of the length at the beginning of a record.
const recordHead = 4

// AppendRecord appends a value of any length below 4 GiB as a record.
func AppendRecord(dst, value []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(value))), value...)
}

// Records yields ranks and their values from the records of an [AllGather]. They share the memory of the records.
func Records(all []byte, ranks int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := 0; len(all) > 0; i++ {
			end := recordHead + int(binary.LittleEndian.Uint32(all))
			if !yield(RankAt(i, ranks), all[recordHead:end:end]) {
				return
			}
			all = all[end:]
		}
	}
}
