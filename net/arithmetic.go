package net

import "tengen/internal/kernel"

// Arithmetic names the rounding of NewEvaluator's evaluators: equal names, weights and positions give equal bits.
func Arithmetic() string { return kernel.Arithmetic(kernel.Name()) }

// Repeats returns the instruction set for NewEvaluatorOn with the named arithmetic, if any.
func Repeats(arithmetic string) (set string, ok bool) { return kernel.SetOf(arithmetic) }
