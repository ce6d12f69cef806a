//go:build !unix

package files

const careful = 0 // Windows links need a privilege, and its pipes are no files; JavaScript has neither
