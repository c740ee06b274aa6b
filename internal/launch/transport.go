package launch

import "github.com/activepebbles/pebbles/netio/connect"

// Via is the name of a transport that uses a provider of libfabric, and pins so many bytes of each process at most; 0 is what the system allows.
// insecure lets providers that anybody can reach leave the host. It is for [Options] and [Spec].
func Via(transport, provider string, pinned int64, insecure bool) string {
	if transport == "" {
		transport = connect.ByAuto
	}
	return connect.With(transport, connect.Fabric{Provider: provider, Pinned: pinned, Insecure: insecure})
}
