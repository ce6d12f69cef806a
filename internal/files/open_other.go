//go:build !unix

package files

const careful = 0 // Windows links need a privilege, and its pipes are no files; JavaScript has neither

// MaxOpen returns how many files and connections together this process may have open at a time.
func MaxOpen() int { return unlimited }
