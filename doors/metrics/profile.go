package metrics

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
)

// profiles is the folder of Go's profiles.
const profiles = "/debug/pprof/"

// profileHandler serves what net/http/pprof adds to the default mux.
func profileHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(profiles, pprof.Index)
	mux.HandleFunc(profiles+"cmdline", pprof.Cmdline)
	mux.HandleFunc(profiles+"profile", pprof.Profile)
	mux.HandleFunc(profiles+"symbol", pprof.Symbol)
	mux.HandleFunc(profiles+"trace", pprof.Trace)
	return mux
}

// loopbackOnly answers requests from this machine, and 403 to all others: profiles reveal memory and cost time. A
// request through a proxy counts as foreign, and so does one with another host name, which a page elsewhere may have
// chosen (DNS rebinding).
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.RemoteAddr) || !isLoopback(r.Host) || forwarded(r.Header) {
			http.Error(w, "profiles are for this machine alone: ask at http://127.0.0.1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopback reports whether an address, with or without a port, is a loopback address. "localhost" is one.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// forwarded reports whether the request came through a proxy.
func forwarded(h http.Header) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}
