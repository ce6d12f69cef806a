//go:build !linux && !darwin && !windows

package gamesdb

// remote returns false: this system offers no check.
func remote(string) bool { return false }
