//go:build !linux

package ofi

func (s *sentry) openDescriptor() {}

func (s *sentry) watch() bool { return false }

type waiter struct{}
