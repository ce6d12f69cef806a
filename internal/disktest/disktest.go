// Package disktest shows tests what a program does to a folder, call by call, and lets them fail any of the calls, or cut them short
// (Run). An Injector makes a disk fail in one of the ways that disks have, and Each does so at all the calls of a program. From what
// was done, Disk makes the folders that a loss of power could have left behind at any instant. It works on Linux, amd64, by seccomp's
// notifications to another process; elsewhere such tests are skipped.
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

// Cuttable reports whether the call can be cut by Short.
func (c Call) Cuttable() bool { return c.Kind == Write && len(c.Data) > 1 }

// Verdict is what becomes of a call: 0 lets it happen, Short cuts it, anything else is the error with which it fails.
type Verdict = syscall.Errno

// Short lets a Write of two bytes or more write the first half of them alone, and return how many these are. Any other call happens.
const Short Verdict = 1 << 12 // beyond all errors of the system
