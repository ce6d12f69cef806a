package engine

import "runtime/debug"

// Version returns the module version, a tag or a checkout's commit, or "(devel)" if unknown.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
