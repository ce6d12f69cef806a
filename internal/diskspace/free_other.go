//go:build !linux && !darwin && !freebsd && !windows

package diskspace

// Free returns ErrUnknown.
func Free(string) (uint64, error) { return 0, ErrUnknown }
