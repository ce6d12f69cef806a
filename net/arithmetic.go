package net

import "tengen/internal/kernel"

// Arithmetic names the way in which this process rounds when an Evaluator is made by NewEvaluator: equal names, weights and positions
// give equal bits. See replay.Record.
func Arithmetic() string { return kernel.Arithmetic(kernel.Name()) }

// Repeats tells by which instruction set, to be given to NewEvaluatorOn, an evaluator of this process rounds in the way of that
// name; ok is false if it cannot.
func Repeats(arithmetic string) (set string, ok bool) { return kernel.SetOf(arithmetic) }
