//go:build !unix

package files

const noFollow = 0 // Windows links need a privilege

// MaxOpen returns how many files and connections together this process may have open at a time.
func MaxOpen() int { return unlimited }
