package tcp

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// Listen opens a listener for a process of a job. bind is a host or an interface's name (its first address), either
// with ":port" or without (a free port); "" is loopback. Addresses that mean every interface are refused: a job listens
// at the given address, and nowhere else.
func Listen(bind string) (net.Listener, error) {
	address, err := bindAddress(bind)
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", bind, err)
	}
	l, err := net.ListenTCP("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("listen on %q: port %d is in use, name another one or none: %w", bind, address.Port, err)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %q: %w", bind, err)
	}
	return l, nil
}

func bindAddress(bind string) (*net.TCPAddr, error) {
	host, port, err := splitBind(bind)
	if err != nil {
		return nil, err
	}
	address, err := interfaceAddress(host)
	if err != nil {
		return nil, err
	}
	if address == nil {
		if address, err = net.ResolveIPAddr("ip", host); err != nil {
			return nil, fmt.Errorf("find host: %w", err)
		}
	}
	if address.IP == nil || address.IP.IsUnspecified() {
		return nil, errors.New("this address means every network of this machine, and anybody on them could knock; " +
			"name one address or interface")
	}
	return &net.TCPAddr{IP: address.IP, Zone: address.Zone, Port: port}, nil
}

// hostsOf returns the first process of each host. The processes of a host listen at the same address.
func hostsOf(addresses []string) (firsts []int) {
	last := ""
	for process, address := range addresses {
		host, _, _ := net.SplitHostPort(address)
		if process == 0 || host != last {
			firsts = append(firsts, process)
		}
		last = host
	}
	return firsts
}

func splitBind(bind string) (host string, port int, err error) {
	if bind == "" {
		return "127.0.0.1", 0, nil
	}
	host, digits, err := net.SplitHostPort(bind)
	if err != nil { // no port
		return bind, 0, nil
	}
	port, err = strconv.Atoi(digits)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("port %q is not a number from 0 to 65535", digits)
	}
	return host, port, nil
}

// interfaceAddress returns nil if no interface has the name. A link-local address, which needs its zone to be dialled,
// is the last choice.
func interfaceAddress(name string) (*net.IPAddr, error) {
	card, err := net.InterfaceByName(name)
	if err != nil {
		return nil, nil
	}
	addresses, err := card.Addrs()
	if err != nil {
		return nil, fmt.Errorf("list addresses of interface %s: %w", name, err)
	}
	var last *net.IPAddr
	for _, a := range addresses {
		n, ok := a.(*net.IPNet)
		if ok && !n.IP.IsLinkLocalUnicast() {
			return &net.IPAddr{IP: n.IP}, nil
		}
		if ok && last == nil {
			last = &net.IPAddr{IP: n.IP, Zone: name}
		}
	}
	if last == nil {
		return nil, fmt.Errorf("interface %s has no address", name)
	}
	return last, nil
}
