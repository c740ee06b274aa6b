//go:build long

package command

import "time"

func init() { kills, killedWithin = 20, 2*time.Second }
