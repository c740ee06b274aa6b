//go:build !linux || !(amd64 || arm64)

package ofi

import "errors"

func openLibfabric(string, string) (fabric, error) {
	return nil, errors.New("libfabric is used on Linux for amd64 and arm64 alone: use transport tcp")
}
