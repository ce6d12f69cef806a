//go:build !linux

package natslog

// fileIdentity is not known here, so a leadership that was not released is waited for.
func fileIdentity(string) string { return "" }
