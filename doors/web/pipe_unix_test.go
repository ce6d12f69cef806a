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
			return errors.Join(os.RemoveAll(path), syscall.Mkfifo(path, 0o644))
		}
	}
	checkUnreadable(t, map[string]unreadable{
		"metrics a pipe":  {pipe("metrics.jsonl"), "not a regular file", 200},
		"settings a pipe": {pipe("run.yaml"), "not a regular file", 500},
		"games a pipe":    {pipe("games.db"), "", 500},
		"latest a pipe":   {pipe("latest"), "", 200},
		"model a pipe":    {pipe("model-00000002.safetensors"), "", 200},
		"ladder a pipe":   {pipe("ladder.json"), "", 200},
		"lock a pipe":     {pipe("lock"), "", 200},
		"wal a pipe":      {pipe("games.db-wal"), "", 500},
		"shm a pipe":      {pipe("games.db-shm"), "", 500},
		"journal a pipe":  {pipe("games.db-journal"), "", 500},
	})
}
