package main

import (
	"slices"

	"tengen/internal/kernel/winograd"
)

// unit writes a processor's vector instructions. Its methods return new registers.
type unit[register comparable] interface {
	add(x, y register) register
	subtract(x, y register) register
	scale(factor float32, x register) register
	addScaled(sum register, factor float32, x register) // changes sum; a factor of 1 or -1 adds or subtracts x
}

type term[register comparable] struct {
	factor float32
	x      register
}

// sandwich writes m x w^T, a group of rows at a time: read loads element p, q of x, if the group needs it, and write
// stores element i, j of the result. keep and recall store and load an element of a group's intermediate result.
func sandwich[register comparable](
	u unit[register], m, w winograd.Matrix, group int,
	read func(p, q int) register, keep func(i, q int, y register), recall func(i, q int) register,
	write func(i, j int, y register),
) {
	first := 0
	for rows := range slices.Chunk(m, group) {
		for q := range w[0] {
			x := make([]register, len(m[0]))
			for p := range x {
				if slices.ContainsFunc(rows, func(row []float32) bool { return row[p] != 0 }) {
					x[p] = read(p, q)
				}
			}
			multiply(u, rows, x, func(i int, y register) { keep(i, q, y) })
		}
		for i := range rows {
			x := make([]register, len(w[0]))
			for q := range x {
				x[q] = recall(i, q)
			}
			multiply(u, w, x, func(j int, y register) { write(first+i, j, y) })
		}
		first += len(rows)
	}
}

// multiply writes m x for a vector x of registers. It shares work where two neighbouring rows, or all rows in two
// neighbouring columns, differ only in signs.
func multiply[register comparable](u unit[register], m winograd.Matrix, x []register, emit func(i int, y register)) {
	terms := columnPairs(u, m, x)
	for i := 0; i < len(m); i++ {
		even, odd := splitPair(terms, i)
		if even == nil || odd == nil {
			emit(i, sum(u, terms[i]))
			continue
		}
		e, o := sum(u, even), sum(u, odd)
		emit(i, u.add(e, o))
		emit(i+1, u.subtract(e, o))
		i++
	}
}

// columnPairs returns each row's terms. It replaces x[p] and x[p+1] by their sum and difference if pairOfColumns
// allows.
func columnPairs[register comparable](u unit[register], m winograd.Matrix, x []register) [][]term[register] {
	terms := make([][]term[register], len(m))
	for p := 0; p < len(x); p++ {
		if p+1 < len(x) && pairOfColumns(m, p) {
			sum, difference := u.add(x[p], x[p+1]), u.subtract(x[p], x[p+1])
			for i := range m {
				switch f := m[i][p]; {
				case f == 0:
				case m[i][p+1] == f:
					terms[i] = append(terms[i], term[register]{f, sum})
				default:
					terms[i] = append(terms[i], term[register]{f, difference})
				}
			}
			p++
			continue
		}
		for i := range m {
			if f := m[i][p]; f != 0 {
				terms[i] = append(terms[i], term[register]{f, x[p]})
			}
		}
	}
	return terms
}

func pairOfColumns(m winograd.Matrix, p int) bool {
	equal, opposite := 0, 0
	for _, row := range m {
		switch f, g := row[p], row[p+1]; {
		case f == 0 && g == 0:
		case f == g:
			equal++
		case f == -g:
			opposite++
		default:
			return false
		}
	}
	return equal > 0 && opposite > 0 && equal+opposite > 2
}

// splitPair returns the terms with equal and with opposite signs in rows i and i+1, or nil if others differ.
func splitPair[register comparable](terms [][]term[register], i int) (even, odd []term[register]) {
	if i+1 >= len(terms) || len(terms[i]) != len(terms[i+1]) {
		return nil, nil
	}
	for p, t := range terms[i] {
		switch u := terms[i+1][p]; {
		case t == u:
			even = append(even, t)
		case t.x == u.x && t.factor == -u.factor:
			odd = append(odd, t)
		default:
			return nil, nil
		}
	}
	return even, odd
}

// sum writes the sum of terms into a new register, from a factor of 1 if there is one.
func sum[register comparable](u unit[register], terms []term[register]) register {
	first := max(0, slices.IndexFunc(terms, func(t term[register]) bool { return t.factor == 1 }))
	y := u.scale(terms[first].factor, terms[first].x)
	for i, t := range terms {
		if i != first {
			u.addScaled(y, t.factor, t.x)
		}
	}
	return y
}
