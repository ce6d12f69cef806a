// Package loopback recognises addresses that only this machine reaches.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Is reports whether a host name or address, with or without a port, is "localhost" or a loopback address.
func Is(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return strings.EqualFold(host, "localhost")
}
