package sort

// keeper makes strings of rows. Many rows share one piece of memory.
type keeper struct {
	text []byte
	ends []int // of rows in it
	add  func(row string)
}

// keptTogether is how many bytes of rows share memory, or one row.
const keptTogether = 32 << 10

// keep takes a row, which append has appended to k.text.
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
