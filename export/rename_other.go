//go:build !linux

package export

import "errors"

// renameExclusive is for Linux.
func renameExclusive(string, string) error { return errors.ErrUnsupported }

// exchange is for Linux.
func exchange(string, string) error { return errors.ErrUnsupported }
