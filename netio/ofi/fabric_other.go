//go:build !linux || !(amd64 || arm64)

package ofi

import "errors"

var errElsewhereThanLinux = errors.New("libfabric is used on Linux for amd64 and arm64 alone: use transport tcp")

func openLibfabric(string, string, int) (fabric, error) { return nil, errElsewhereThanLinux }

func (*Finding) ask() error { return errElsewhereThanLinux }

func lockedMax() int64 { return -1 }
