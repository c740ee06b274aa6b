//go:build linux && (amd64 || arm64) && !static

package main

import _ "github.com/activepebbles/pebbles/netio/ofi" // transport ofi
