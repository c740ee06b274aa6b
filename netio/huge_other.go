//go:build !linux

package netio

func adviseHuge([]byte) {}
