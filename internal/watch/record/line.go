package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
)

// lineMax bounds what of a line its CRC covers.
const lineMax = 64 << 10

// headMax is the longest that a line's CRC and length are, with their spaces.
const headMax = 8 + 1 + 5 + 1

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendLine appends a line of a kind. What it says must be what package json encodes: no NaN is among its numbers.
func appendLine(to []byte, kind string, says any) []byte {
	var text bytes.Buffer
	text.WriteString(kind + " ")
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // people read it
	if err := encoder.Encode(says); err != nil {
		panic(fmt.Sprintf("record: %s line: %v", kind, err)) // the types of lines have nothing that fails
	}
	covered := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	to = fmt.Appendf(to, "%08x %d ", crc32.Checksum(covered, castagnoli), len(covered))
	return append(append(to, covered...), '\n')
}

// parseHead takes a line's CRC and length apart. It accepts only what appendLine writes, so that no damage passes.
func parseHead(head []byte) (sum uint32, length, size int, ok bool) {
	first, rest, ok := bytes.Cut(head, []byte(" "))
	second, _, more := bytes.Cut(rest, []byte(" "))
	if !ok || !more || len(first) != 8 || len(second) == 0 || len(second) > 5 {
		return 0, 0, 0, false
	}
	crc, err := strconv.ParseUint(string(first), 16, 32)
	if err != nil {
		return 0, 0, 0, false
	}
	length, err = strconv.Atoi(string(second))
	size = len(first) + len(second) + 2
	strict := fmt.Sprintf("%08x %d ", crc, length) == string(head[:size])
	return uint32(crc), length, size, err == nil && strict && length > 0 && length <= lineMax
}
