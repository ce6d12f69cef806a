package run

import "runtime/debug"

// Version is that of the module: a tag, or the commit that a build from a checkout is of. "(devel)" where Go could not tell.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
