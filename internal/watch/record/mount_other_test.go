//go:build !linux

package record

import "errors"

func mountSmall(string) error { return errors.ErrUnsupported }

func unmount(string) {}
