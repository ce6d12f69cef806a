package memory

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
)

// Limit returns the bytes of physical memory or, if that is less, the limit of a control group around this process, as
// containers and systemd set it. It returns 0 if both are unknown.
func Limit() int64 { return limit("/") }

// limit is Limit with the files below root.
func limit(root string) int64 {
	least := int64(0)
	consider := func(bytes int64, err error) {
		if err == nil && bytes > 0 && (least == 0 || bytes < least) {
			least = bytes
		}
	}
	var kilobytes int64
	_, err := fmt.Sscanf(read(root, "proc/meminfo"), "MemTotal: %d kB", &kilobytes)
	consider(kilobytes<<10, err)
	for line := range strings.Lines(read(root, "proc/self/cgroup")) {
		controllers, group, _ := strings.Cut(line[strings.Index(line, ":")+1:], ":")
		folder, file := "sys/fs/cgroup", "memory.max"
		if controllers == "memory" {
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		}
		for group = path.Clean("/" + strings.TrimSpace(group)); ; group = path.Dir(group) { // limits of outer groups hold too
			consider(strconv.ParseInt(strings.TrimSpace(read(root, folder, group, file)), 10, 64))
			if group == "/" {
				break
			}
		}
	}
	return least
}

func read(elements ...string) string {
	content, _ := os.ReadFile(path.Join(elements...))
	return string(content)
}
