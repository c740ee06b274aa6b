//go:build !pebbles_check

package pages

const alwaysChecked = false
