package appstest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/activepebbles/pebbles/netio"
	"github.com/activepebbles/pebbles/netio/connect"
	"github.com/activepebbles/pebbles/netio/tcp"
)

// dial connects the processes of a job, all of which are this one, over loopback.
func dial(ctx context.Context, name string, ranks, procs int) ([]netio.Transport, error) {
	configs, err := configure(ranks, procs)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	transports, errs := make([]netio.Transport, procs), make([]error, procs)
	var running sync.WaitGroup
	for i, c := range configs {
		running.Go(func() {
			t, err := connect.Dial(ctx, c, name)
			if err != nil {
				errs[i] = fmt.Errorf("dial as process %d: %w", i, err)
				cancel() // the others would wait for this one
				return
			}
			transports[i] = t
		})
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, errors.Join(err, closeAll(transports))
	}
	return transports, nil
}

func configure(ranks, procs int) ([]tcp.Config, error) {
	secret := make([]byte, 32)
	rand.Read(secret)
	listeners, addresses := make([]net.Listener, procs), make([]string, procs)
	for i := range procs {
		l, err := tcp.Listen("")
		if err != nil {
			return nil, fmt.Errorf("listen as process %d: %w", i, err)
		}
		listeners[i], addresses[i] = l, l.Addr().String()
	}
	configs := make([]tcp.Config, procs)
	for i := range configs {
		configs[i] = tcp.Config{
			Job: "appstest", Secret: secret, Place: netio.PlaceOf(ranks, procs, i), Listener: listeners[i], Addresses: addresses,
		}
		configs[i].Identity.Build = "appstest"
	}
	return configs, nil
}

// closeAll closes the transports that there are. Each waits for the others' goodbyes, so all do at once.
func closeAll(transports []netio.Transport) error {
	errs := make([]error, len(transports))
	var running sync.WaitGroup
	for i, t := range transports {
		if t != nil {
			running.Go(func() { t.Abort("another process could not start"); errs[i] = t.Close() })
		}
	}
	running.Wait()
	return errors.Join(errs...)
}
