package net

import "tengen/internal/kernel"

// Arithmetic names the rounding of evaluators that NewEvaluator makes in this process: equal names, weights and
// positions give equal bits. See replay.Record.
func Arithmetic() string { return kernel.Arithmetic(kernel.Name()) }

// Repeats returns the instruction set with which NewEvaluatorOn rounds as the named arithmetic does. ok is false if
// this process cannot.
func Repeats(arithmetic string) (set string, ok bool) { return kernel.SetOf(arithmetic) }
