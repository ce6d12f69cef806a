package metrics

import (
	"net/http"
	"slices"

	"tengen/internal/loopback"
)

// loopbackOnly passes on requests from this machine and answers all others with 403, because profiles reveal memory and
// cost time. Requests through a proxy or to another host name, as in DNS rebinding, count as foreign.
func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forwarded := func(name string) bool { return r.Header.Get(name) != "" }
		if !loopback.Is(r.RemoteAddr) || !loopback.Is(r.Host) || slices.ContainsFunc(proxyHeaders, forwarded) {
			http.Error(w, "profiles are for this machine alone: ask at http://127.0.0.1", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

var proxyHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"}
