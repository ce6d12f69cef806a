package loopback

import "testing"

func TestIs(t *testing.T) {
	for address, want := range map[string]bool{
		"localhost": true, "LOCALHOST:80": true, "127.0.0.1": true, "127.8.9.1:7070": true, "::1": true, "[::1]": true,
		"[::1]:80": true, "::ffff:127.0.0.1": true, "": false, ":7070": false, "0.0.0.0:80": false, "192.168.1.1": false,
		"::": false, "localhost.example.com": false, "127.0.0.1.example.com:80": false,
	} {
		if got := Is(address); got != want {
			t.Errorf("Is(%q) = %v", address, got)
		}
	}
}
