//go:build !unix

package external

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup kills the program; its children have to notice that themselves.
func killGroup(cmd *exec.Cmd) { cmd.Process.Kill() }
