//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the leader of a group of processes, to which its children belong.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the program and its children.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
