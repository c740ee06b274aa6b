//go:build !linux

package ofi

import "time"

func mapped(int) []byte { return nil }

func unmapped([]byte) {}

func dropped([]byte) {}

func pinnedDefault(bool) int64 { return 0 }

func (s *poller) openDescriptor() {}

func (s *poller) watch() bool { return false }

func nanosleep(d time.Duration) { time.Sleep(d) }

type waiter struct{}
