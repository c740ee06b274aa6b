//go:build !linux

package ofi

import "time"

func (s *sentry) openDescriptor() {}

func (s *sentry) watch() bool { return false }

func doze(d time.Duration) { time.Sleep(d) }

type waiter struct{}
