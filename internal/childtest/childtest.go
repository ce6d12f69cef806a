// Package childtest runs a test program again as a child process in another role, which its TestMain takes from the
// environment, so that tests can kill it.
package childtest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"testing"
)

// Child is a process that runs the test program. It is not safe for concurrent use.
type Child struct {
	Out    *bufio.Scanner // lines of its standard output
	Stderr bytes.Buffer
	cmd    *exec.Cmd
	stdin  io.Closer
}

// Start starts the test program with these variables of the environment besides its own. The standard input ends at the kill.
func Start(t *testing.T, env ...string) *Child {
	t.Helper()
	c := &Child{cmd: exec.Command(os.Args[0])}
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stderr = &c.Stderr
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin = stdin
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Out = bufio.NewScanner(stdout)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// Kill kills the process (SIGKILL), whatever it has begun. What it has printed can still be read. End comes after it.
func (c *Child) Kill() { c.cmd.Process.Kill() }

// End kills the process and waits until it has ended.
func (c *Child) End() {
	c.Kill()
	c.stdin.Close()
	c.cmd.Wait()
}
