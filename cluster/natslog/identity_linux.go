package natslog

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// fileIdentity tells a file from all that are there at the same time on any machine, by the start of the kernel, the device and the
// number of the file. Containers of one machine have one kernel, and see the same of a file that they share. It is empty where that
// cannot be found out.
func fileIdentity(path string) string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	file, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%s %x %x", strings.TrimSpace(string(boot)), file.Dev, file.Ino)
}
