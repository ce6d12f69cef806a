package disktest

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// watched are the calls that are reported. A program that changes files by others is not understood.
var watched = []uint32{
	unix.SYS_OPENAT, unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_PWRITE64, unix.SYS_FTRUNCATE, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
	unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINK, unix.SYS_UNLINKAT, unix.SYS_RMDIR,
	unix.SYS_MKDIR, unix.SYS_MKDIRAT,
}

// childVariable is set in the environment of the test program in the role of Child.
const childVariable = "TENGEN_DISKTEST"

// Child does nothing in a test program, and in one that Start has started it becomes the program to be watched.
func Child() {
	if os.Getenv(childVariable) == "" {
		return
	}
	os.Unsetenv(childVariable)
	runtime.LockOSThread() // whose calls alone are watched, until the exec
	listener, err := listen()
	if err == nil {
		err = unix.Sendmsg(3, []byte{0}, unix.UnixRights(listener), nil, 0)
	}
	if err == nil {
		unix.Close(3)
		err = syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
	}
	panic(err)
}

// listen asks the system to report the watched calls of this thread, and of all processes that come of it.
func listen() (fd int, err error) {
	const (
		loadWord = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		ifEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer   = unix.BPF_RET | unix.BPF_K
	)
	filter := []unix.SockFilter{{Code: loadWord, K: 0}} // seccomp_data.nr
	for i, call := range watched {
		filter = append(filter, unix.SockFilter{Code: ifEqual, Jt: uint8(len(watched) - i), K: call})
	}
	filter = append(filter,
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_USER_NOTIF})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	// The flag keeps Go's own signals from interrupting a call that was reported, which would be reported once more.
	r, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return 0, errno
	}
	return int(r), nil
}

// Run runs a program to its end and tells judge of each call that changes dir, one after the other. It returns what the program
// wrote to its standard error, and how it ended. The test is skipped where the system cannot watch programs.
func Run(t *testing.T, dir string, program, env []string, judge func(Call) Verdict) (stderr string, err error) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self, program...)
	cmd.Env = append(append(os.Environ(), childVariable+"=1"), env...)
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stderr = &errOut
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	theirs.Close()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		buffer := make([]byte, 4096)
		for { // what is printed is seen when it is written
			if _, err := out.Read(buffer); err != nil {
				return
			}
		}
	}()
	listener, err := receive(pair[0])
	if err != nil {
		cmd.Wait()
		t.Skipf("programs cannot be watched here: %s", errOut.String())
	}
	w := watcher{dir: dir, listener: listener}
	watching := w.watch(judge)
	unix.Close(listener) // so that a call of the child that nobody judges fails, and it ends
	err = cmd.Wait()
	if watching != nil {
		t.Fatal(watching)
	}
	return errOut.String(), err
}

// receive takes over the descriptor that a child sends.
func receive(socket int) (fd int, err error) {
	control := make([]byte, unix.CmsgSpace(4))
	n, oobn, _, _, err := unix.Recvmsg(socket, make([]byte, 1), control, 0)
	if err != nil || n == 0 {
		return 0, errors.Join(err, errors.New("nothing came"))
	}
	messages, err := unix.ParseSocketControlMessage(control[:oobn])
	if err != nil {
		return 0, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return fds[0], nil
}

type watcher struct {
	dir      string
	listener int
}

// notification is the system's struct seccomp_notif, response its seccomp_notif_resp.
type notification struct {
	id          uint64
	pid, flags  uint32
	number      int32
	arch        uint32
	instruction uint64
	args        [6]uint64
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// watch answers calls until all processes have ended.
func (w watcher) watch(judge func(Call) Verdict) error {
	for {
		events := []unix.PollFd{{Fd: int32(w.listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(events, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return err
		}
		if events[0].Revents&unix.POLLIN == 0 {
			return nil
		}
		var n notification
		if errno := w.ioctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)); errno == unix.ENOENT || errno == unix.EINTR {
			continue // the process was killed, or we were interrupted
		} else if errno != 0 {
			return errno
		}
		r, err := w.answer(n, judge)
		if err != nil {
			return err
		}
		if errno := w.ioctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r)); errno != 0 && errno != unix.ENOENT {
			return errno
		}
	}
}

// answer is what becomes of a call. One that is to be short is done here, and its process hears how far it came.
func (w watcher) answer(n notification, judge func(Call) Verdict) (response, error) {
	happens := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	call, ok := w.read(n)
	if !ok {
		return happens, nil
	}
	switch verdict := judge(call); {
	case verdict == Short && call.Cuttable():
		written, err := process(n.pid).writeHalf(n, call.Data)
		return response{id: n.id, value: int64(written)}, err
	case verdict == Short || verdict == 0:
		return happens, nil
	default:
		return response{id: n.id, errno: -int32(verdict)}, nil
	}
}

func (w watcher) ioctl(request uintptr, argument unsafe.Pointer) syscall.Errno {
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(w.listener), request, uintptr(argument))
	return errno
}

// read makes a Call of a notification; ok is false if it is of no interest.
func (w watcher) read(n notification) (c Call, ok bool) {
	p := process(n.pid)
	a := n.args
	switch n.number {
	case unix.SYS_OPENAT:
		if a[2]&unix.O_CREAT == 0 && a[2]&unix.O_TRUNC == 0 {
			return c, false
		}
		c.Kind = Create
		if a[2]&unix.O_TRUNC != 0 {
			c.Kind = Truncate
		}
		return w.at(c, p.path(a[0], a[1]), "")
	case unix.SYS_WRITE, unix.SYS_WRITEV, unix.SYS_PWRITE64:
		c = Call{Kind: Write, Offset: -1}
		if n.number == unix.SYS_WRITEV {
			c.Data = p.vectors(a[1], a[2])
		} else {
			c.Data = p.memory(a[1], a[2])
		}
		if n.number == unix.SYS_PWRITE64 {
			c.Offset = int64(a[3])
		} else if a[0] == 1 {
			return Call{Kind: Print, Data: c.Data}, true
		}
		if c, ok = w.at(c, p.file(a[0]), ""); ok {
			p.openMode(a[0], &c)
		}
		return c, ok
	case unix.SYS_FTRUNCATE:
		return w.at(Call{Kind: Truncate, Offset: int64(a[1])}, p.file(a[0]), "")
	case unix.SYS_FSYNC, unix.SYS_FDATASYNC:
		return w.at(Call{Kind: Sync}, p.file(a[0]), "")
	case unix.SYS_RENAME:
		return w.at(Call{Kind: Rename}, p.path(atCwd, a[0]), p.path(atCwd, a[1]))
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2:
		return w.at(Call{Kind: Rename}, p.path(a[0], a[1]), p.path(a[2], a[3]))
	case unix.SYS_UNLINK:
		return w.at(Call{Kind: Remove}, p.path(atCwd, a[0]), "")
	case unix.SYS_RMDIR:
		return w.at(Call{Kind: Rmdir}, p.path(atCwd, a[0]), "")
	case unix.SYS_UNLINKAT:
		c.Kind = Remove
		if a[2]&unix.AT_REMOVEDIR != 0 {
			c.Kind = Rmdir
		}
		return w.at(c, p.path(a[0], a[1]), "")
	case unix.SYS_MKDIR:
		return w.at(Call{Kind: Mkdir}, p.path(atCwd, a[0]), "")
	}
	return w.at(Call{Kind: Mkdir}, p.path(a[0], a[1]), "")
}

// at completes a call with its paths, if they are in the folder.
func (w watcher) at(c Call, path, to string) (Call, bool) {
	var err error
	if c.Path, err = filepath.Rel(w.dir, path); err != nil || !filepath.IsLocal(c.Path) {
		return c, false
	}
	if to != "" {
		c.To, err = filepath.Rel(w.dir, to)
	}
	return c, err == nil
}
