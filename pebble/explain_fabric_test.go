package pebble_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/netiotest"
	"github.com/activepebbles/pebbles/netio/tcp"
	"github.com/activepebbles/pebbles/pebble"
	"github.com/activepebbles/pebbles/route"
)

func preposted(links, senders int) netio.Preposted {
	return netio.Preposted{
		Provider: "tcp", Links: links, Senders: senders, Window: 1000, WindowMax: 16_000, Slab: 9000, Room: 8000, Ahead: 2,
		Send: 500, Limit: 1 << 30,
	}
}

// grown returns the pinned bytes when the given number of windows have grown.
func grown(links, senders int) int64 {
	return 9000*(2+int64(math.Ceil(float64(senders*16_000+(links-senders)*1000)/8000))) + 500
}

var slabsLine = regexp.MustCompile(`(?m)^ +(\d+)  slabs +\((\d+) \+ ceil\((\d+) x (\d+) / (\d+)\)\) x (\d+)$`)

// The pinned bytes are the product beside them: each process takes another window, and few senders less than many.
func TestExplanationOfFabrics(t *testing.T) {
	for _, links := range []int{1, 8, 63} {
		for _, senders := range []int{1, links} {
			p := preposted(links, senders)
			text := pebble.Explanation{Ranks: links + 1, Procs: links + 1, Transport: "ofi", Fabric: &p}.String()
			line := slabsLine.FindStringSubmatch(text)
			require.NotNil(t, line, text)
			var n [6]int64
			for i := range n {
				n[i] = number(t, line[i+1])
			}
			require.EqualValues(t, links, n[2])
			require.Equal(t, n[0], (n[1]+int64(math.Ceil(float64(n[2]*n[3])/float64(n[4]))))*n[5], text)
			require.Contains(t, text, fmt.Sprintf("= %12d  pinned at first, of at most %d\n", n[0]+500, 1<<30))
			require.Contains(t, text, fmt.Sprintf("%12d  when all have grown to o = 16000\n", grown(links, links)))
			routed := fmt.Sprintf("%12d  routed: only those of ", grown(links, senders))
			require.Equal(t, senders < links, strings.Contains(text, routed), text)
			require.NotRegexp(t, `\b1 (processes|other processes)\b`, text)
		}
	}
}

// fabricOf is a transport that posts memory ahead.
type fabricOf struct{ *tcp.Transport }

func (fabricOf) Preposted(senders map[int]bool) (netio.Preposted, bool) {
	return preposted(7, len(senders)), true
}

// The senders to process 0 follow from the routes of all targets.
func TestExplanationCountsSenders(t *testing.T) {
	const processes = 8
	for _, c := range []struct {
		topology route.Constructor
		senders  int
	}{{route.Direct, 7}, {route.Hypercube, 3}, {route.Ring, 2}} {
		var told []pebble.Explanation
		var running sync.WaitGroup
		for _, config := range netiotest.Configs(t, 2*processes, processes) {
			running.Go(func() {
				tr, err := tcp.Dial(t.Context(), config)
				if err != nil {
					t.Error(err)
					return
				}
				err = run(t, pebble.Config{
					Ranks: 2 * processes, Transport: fabricOf{tr}, Topology: c.topology,
					Explain: func(e pebble.Explanation) { told = append(told, e) },
				}, func(r *pebble.Rank) error {
					byRank(r, "one", ignore)
					r.ExplainNext()
					err := r.Epoch(func() error { panic("an explained epoch was run") })
					if errors.Is(err, pebble.ErrExplained) {
						return nil
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		running.Wait()
		require.Len(t, told, 1)
		require.Equal(t, c.senders, told[0].Fabric.Senders, told[0].Targets[0].Topology)
	}
}
