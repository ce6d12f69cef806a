// Package disktest shows tests what a program does to a folder, call by call, and lets them fail any of the calls (Start). From what
// was done, it makes the folders that a loss of power could have left behind at any instant (Disk). It works on Linux, amd64, by
// seccomp's notifications to another process; elsewhere such tests are skipped.
//
// The program is the test program itself in another role, or any other that it starts by exec: its TestMain has to call Child first
// of all.
package disktest

import "syscall"

// Kind is what a call does.
type Kind string

// Kinds of calls.
const (
	Create   Kind = "create"   // a file is opened, and made if it is absent
	Write    Kind = "write"    // Data at Offset
	Truncate Kind = "truncate" // to Offset bytes
	Sync     Kind = "sync"     // of a file or a folder
	Rename   Kind = "rename"   // to To
	Remove   Kind = "remove"   // a file
	Rmdir    Kind = "rmdir"
	Mkdir    Kind = "mkdir"
	Print    Kind = "print" // Data is written to the standard output
)

// Call is a call to the system that changes the watched folder, or prints. It has not happened yet when a test is told of it.
type Call struct {
	Kind   Kind
	Path   string // in the watched folder, relative; "." is the folder itself
	To     string
	Offset int64
	Data   []byte
	Synced bool // Write: the file is open in a mode in which it returns after a sync
}

// Verdict is what becomes of a call: 0 lets it happen, anything else is the error with which it fails.
type Verdict = syscall.Errno
