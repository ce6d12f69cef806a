//go:build full

package fulltest

// On reports whether this is the full run.
const On = true
