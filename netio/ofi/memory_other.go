//go:build !linux

package ofi

func mapped(int) []byte { return nil }

func unmapped([]byte) {}

func dropped([]byte) {}

func pinnedDefault(bool) int64 { return 0 }
