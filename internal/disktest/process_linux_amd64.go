package disktest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// process is what can be found out about a process, or one of its threads, by its number.
type process uint32

const atCwd = uint64(1<<64 - 100) // AT_FDCWD

func (p process) proc(name string, fd uint64) string {
	if name == "cwd" || name == "mem" {
		return fmt.Sprintf("/proc/%d/%s", p, name)
	}
	return fmt.Sprintf("/proc/%d/%s/%d", p, name, int32(fd))
}

// file is the path of an open file, empty if it has none any more.
func (p process) file(fd uint64) string {
	path, err := os.Readlink(p.proc("fd", fd))
	if err != nil || strings.HasSuffix(path, " (deleted)") {
		return ""
	}
	return path
}

// path is the absolute path of a name, relative to an open folder.
func (p process) path(folder, name uint64) string {
	text, _, _ := bytes.Cut(p.memory(name, 4096), []byte{0})
	if filepath.IsAbs(string(text)) {
		return filepath.Clean(string(text))
	}
	base := p.file(folder)
	if int32(folder) == unix.AT_FDCWD {
		base, _ = os.Readlink(p.proc("cwd", 0))
	}
	return filepath.Join(base, string(text))
}

// memory reads up to length bytes.
func (p process) memory(address, length uint64) []byte {
	file, err := os.Open(p.proc("mem", 0))
	if err != nil {
		return nil
	}
	defer file.Close()
	content := make([]byte, length)
	n, _ := file.ReadAt(content, int64(address)) // fewer where the memory ends behind a name
	return content[:n]
}

// vectors reads what the array of iovec at an address, of count elements, points to, one after the other.
func (p process) vectors(address, count uint64) (content []byte) {
	const size = 16 // of an iovec: address and length
	for list := p.memory(address, size*count); len(list) >= size; list = list[size:] {
		content = append(content, p.memory(binary.LittleEndian.Uint64(list), binary.LittleEndian.Uint64(list[8:]))...)
	}
	return content
}

// openMode completes a write with the place in the file, -1 for its end, and the mode in which the file was opened.
func (p process) openMode(fd uint64, c *Call) {
	text, _ := os.ReadFile(p.proc("fdinfo", fd))
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "pos":
			if position, err := strconv.ParseInt(value, 10, 64); err == nil && c.Offset < 0 {
				c.Offset = position
			}
		case "flags":
			flags, _ := strconv.ParseUint(value, 8, 64)
			c.Synced = flags&unix.O_SYNC == unix.O_SYNC
			if flags&unix.O_APPEND != 0 {
				c.Offset = -1
			}
		}
	}
}

// writeHalf does a write of data for the process, with the first half of its bytes alone, and returns how many were written.
func (p process) writeHalf(n notification, data []byte) (written int, err error) {
	fd, err := p.share(n.args[0])
	if err != nil {
		return 0, fmt.Errorf("cannot write in the place of a process: %w", err)
	}
	defer unix.Close(fd)
	half := data[:len(data)/2]
	if n.number == unix.SYS_PWRITE64 {
		return unix.Pwrite(fd, half, int64(n.args[3]))
	}
	return unix.Write(fd, half)
}

// share opens a file that the process has open here as well, with the same position and mode.
func (p process) share(fd uint64) (ours int, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
	if err != nil {
		return 0, err
	}
	whole := int(p) // of which p may be a thread
	for line := range strings.Lines(string(status)) {
		if id, ok := strings.CutPrefix(line, "Tgid:"); ok {
			if whole, err = strconv.Atoi(strings.TrimSpace(id)); err != nil {
				return 0, err
			}
		}
	}
	pidfd, err := unix.PidfdOpen(whole, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(pidfd)
	return unix.PidfdGetfd(pidfd, int(int32(fd)), 0)
}
