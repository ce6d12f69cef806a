// Package memory tells how much memory this process may use.
package memory
