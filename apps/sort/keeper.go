package sort

// keeper makes strings of rows. Many rows share one block of memory.
type keeper struct {
	text []byte
	ends []int // ends of rows in text
	add  func(row string)
}

// keptTogether is the number of bytes from which a block of rows is complete.
const keptTogether = 32 << 10

// keep ends a row, which append has added to k.text.
func (k *keeper) keep() {
	k.ends = append(k.ends, len(k.text))
	if len(k.text) >= keptTogether {
		k.empty()
	}
}

func (k *keeper) empty() {
	text, from := string(k.text), 0
	for _, end := range k.ends {
		k.add(text[from:end])
		from = end
	}
	k.text, k.ends = k.text[:0], k.ends[:0]
}
