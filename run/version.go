package run

import "runtime/debug"

// Version returns the module version: a tag, or the commit of a build from a checkout. It is "(devel)" if Go does not
// know it.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
