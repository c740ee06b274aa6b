package apps

import "strings"

// Names lists the values of a type of words, for an error that says which there are.
func Names[W ~string](words []W) string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = string(w)
	}
	return strings.Join(all, ", ")
}
