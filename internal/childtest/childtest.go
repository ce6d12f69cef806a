// Package childtest runs a test program as a child process that the test kills. TestMain reads the child's role
// from the environment.
package childtest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"testing"
)

// Child is a running child process. It is not safe for concurrent use.
type Child struct {
	Out    *bufio.Scanner // lines of standard output
	Stderr bytes.Buffer
	cmd    *exec.Cmd
	stdin  io.Closer
}

// Start starts the test program with additional environment variables. Its standard input stays open until End.
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

// Kill kills the process. Its output can still be read; call End afterwards.
func (c *Child) Kill() { c.cmd.Process.Kill() }

// End kills the process and waits for it.
func (c *Child) End() {
	c.Kill()
	c.stdin.Close()
	c.cmd.Wait()
}
