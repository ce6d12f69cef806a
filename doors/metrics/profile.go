package metrics

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
)

// loopbackOnly answers requests from this machine, and 403 to others: profiles reveal memory and cost time. Requests
// through a proxy or to another host name, as in DNS rebinding, count as foreign.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forwarded := func(name string) bool { return r.Header.Get(name) != "" }
		if !isLoopback(r.RemoteAddr) || !isLoopback(r.Host) || slices.ContainsFunc(proxyHeaders, forwarded) {
			http.Error(w, "profiles are for this machine alone: ask at http://127.0.0.1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

var proxyHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"}

// isLoopback reports whether an address, with or without a port, is "localhost" or a loopback address.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
