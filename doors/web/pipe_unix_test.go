//go:build unix

package web

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe where a file should be keeps no request waiting.
func TestRunsOfPipes(t *testing.T) {
	pipe := func(name string) func(string) error {
		return func(dir string) error {
			path := filepath.Join(dir, name)
			return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o644))
		}
	}
	checkUnreadable(t, map[string]unreadable{
		"metrics a pipe":  {pipe("metrics.jsonl"), "not a regular file", 200},
		"settings a pipe": {pipe("run.yaml"), "not a regular file", 500},
	})
}
