package net

import "tengen/internal/kernel"

// Arithmetic names the rounding of NewEvaluator's evaluators in this process: equal names, weights and positions give
// equal bits.
func Arithmetic() string { return kernel.Arithmetic(kernel.Name()) }

// Repeats returns the instruction set for NewEvaluatorOn that has the named arithmetic. ok is false if none has.
func Repeats(arithmetic string) (set string, ok bool) { return kernel.SetOf(arithmetic) }
