package values

import (
	"fmt"
	"os"
)

// textMax bounds a file of results, parameters, a profile or a network, in bytes.
const textMax = 64 << 20

// Text reads a file named by a flag. It refuses files that are not regular, which might never end, and files that are
// too long for a text.
func Text(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	case info.Size() > textMax:
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that such a file may have",
			name, info.Size(), textMax)
	}
	return os.ReadFile(name)
}
