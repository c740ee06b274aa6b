package page

import (
	"net"
	"net/url"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressThatCannotBeHad(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	for at, words := range map[string]string{
		taken.Addr().String(): "it is in use: name another port, or 0",
		"192.0.2.1:0":         "no interface of this host has it", // in TEST-NET-1
		"no-such.invalid:0":   "cannot be served",
		"host":                "give a port",
	} {
		_, err := Listen(Config{Addr: at, Source: newMadeUp(1, "running")})
		require.ErrorContains(t, err, words, at)
	}
}

// TestHostsOfAllInterfaces requires that a server on all interfaces accepts only its host's name and any address.
func TestHostsOfAllInterfaces(t *testing.T) {
	at, err := parse("0.0.0.0:80")
	require.NoError(t, err)
	bound := &net.TCPAddr{IP: net.IPv4zero, Port: 80}
	name, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, net.JoinHostPort(name, "80"), at.seen(bound))
	h := at.hosts(bound)
	for host, want := range map[string]bool{
		name: true, name + ".:80": true, "10.1.2.3:80": true, "[fe80::1]:80": true, "[::1]": true,
		"localhost": true, "evil.example": false, "": false, "10.1.2.3.evil.example": false, "::": true} {
		require.Equal(t, want, h.has(host), host)
	}
}

func TestHostThatWasNamed(t *testing.T) {
	s := serve(t, Config{Addr: "localhost:0", Token: secret, Source: newMadeUp(1, "running")})
	u, err := url.Parse(s.URL())
	require.NoError(t, err)
	require.Equal(t, "localhost", u.Hostname())
	answer, _ := ask(t, "GET", s.URL(), nil)
	require.Equal(t, 200, answer.StatusCode)
}
