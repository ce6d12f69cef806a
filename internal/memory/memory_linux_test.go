package memory

import (
	"os"
	"path/filepath"
	"testing"
)

// The least of what the machine has and the groups around the process allow counts.
func TestLimit(t *testing.T) {
	const machine = "MemTotal:       16384 kB\nMemFree: 1 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"unknown":   {nil, 0},
		"machine":   {map[string]string{"proc/meminfo": machine}, 16 << 20},
		"container": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "4194304\n"}, 4 << 20},
		"no limit":  {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 16 << 20},
		"outer":     {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "1048576\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, 1 << 20},
		"version 1": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "5:cpu:/x\n4:memory:/a\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "2097152\n"}, 2 << 20},
		"more":      {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999\n"}, 16 << 20},
	} {
		root := t.TempDir()
		for file, content := range test.files {
			path := filepath.Join(root, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := limit(root); got != test.want {
			t.Errorf("%s: %d bytes, want %d", name, got, test.want)
		}
	}
	if n := Limit(); n < 64<<20 {
		t.Errorf("this machine has %d bytes", n)
	}
}
