package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"tengen/internal/kernel/winograd"
)

// exactTerm is factor times a value, which has a number.
type exactTerm struct {
	factor float32
	value  int
}

// exactProduct returns m x with the additions of the generator's multiply, in their order.
func exactProduct(m winograd.Matrix, x []float32) []float32 {
	values := append([]float32(nil), x...)
	terms := make([][]exactTerm, m.Rows())
	for p := 0; p < len(x); p++ {
		paired := p+1 < len(x) && pairOfColumns(m, p)
		if paired {
			values = append(values, x[p]+x[p+1], x[p]-x[p+1])
		}
		for i := range terms {
			f, value := m[i][p], p
			if paired && f == m[i][p+1] {
				value = len(values) - 2
			} else if paired {
				value = len(values) - 1
			}
			if f != 0 {
				terms[i] = append(terms[i], exactTerm{f, value})
			}
		}
		if paired {
			p++
		}
	}
	var y []float32
	for len(y) < len(terms) {
		i := len(y)
		even, odd := pairOfRows(terms, i)
		if even == nil || odd == nil {
			y = append(y, exactTerms(terms[i], values))
			continue
		}
		e, o := exactTerms(even, values), exactTerms(odd, values)
		y = append(y, e+o, e-o)
	}
	return y
}

// pairOfColumns reports whether columns p and p+1 differ only in signs, and in some.
func pairOfColumns(m winograd.Matrix, p int) bool {
	equal, opposite := 0, 0
	for i := range m.Rows() {
		switch f, g := m[i][p], m[i][p+1]; {
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

// pairOfRows returns the terms of rows i and i+1 with equal and with opposite signs, nil if the rows differ in more.
func pairOfRows(terms [][]exactTerm, i int) (even, odd []exactTerm) {
	if i+1 == len(terms) || len(terms[i]) != len(terms[i+1]) {
		return nil, nil
	}
	for p, a := range terms[i] {
		switch b := terms[i+1][p]; {
		case a == b:
			even = append(even, a)
		case a.value == b.value && a.factor == -b.factor:
			odd = append(odd, a)
		default:
			return nil, nil
		}
	}
	return even, odd
}

// exactTerms adds terms, from the first with a factor of 1 if there is one.
func exactTerms(terms []exactTerm, values []float32) float32 {
	first := 0
	for i := len(terms) - 1; i >= 0; i-- {
		if terms[i].factor == 1 {
			first = i
		}
	}
	sum := terms[first].factor * values[terms[first].value]
	for i, term := range terms {
		if i != first {
			sum = fused(term.factor, values[term.value], sum)
		}
	}
	return sum
}

// exactSandwich returns element i, j of m x n^T at i*n.Rows() + j, for x by row.
func exactSandwich(m, n winograd.Matrix, x func(p, q int) float32) []float32 {
	half := make([][]float32, n.Columns()) // by column
	for q := range half {
		column := make([]float32, m.Columns())
		for p := range column {
			column[p] = x(p, q)
		}
		half[q] = exactProduct(m, column)
	}
	var y []float32
	for i := range m.Rows() {
		row := make([]float32, n.Columns())
		for q := range row {
			row[q] = half[q][i]
		}
		y = append(y, exactProduct(n, row)...)
	}
	return y
}

// eachTile visits tiles of all sizes, alone on their boards and at the lower right edge of larger ones. AVX-512 leaves 8
// of their channels to AVX2.
func eachTile(visit func(c *Conv, t *tile)) {
	const channels = 40
	for rows := 1; rows <= tileOut; rows++ {
		for columns := 1; columns <= tileOut; columns++ {
			for _, before := range []int{0, tileOut} {
				c := NewConv(before+rows, before+columns, channels, channels)
				visit(c, &c.tiles[len(c.tiles)-1])
			}
		}
	}
}

func TestGatherIsExact(t *testing.T) {
	eachAssembly(t, func(t *testing.T, v *vectors) {
		rng := rand.New(rand.NewPCG(71, 0))
		eachTile(func(c *Conv, part *tile) {
			src, plane := draw(rng, c.height*c.width*c.in), c.in+5
			for name, g := range map[string]struct {
				gather   func(dst []float32, plane int, src []float32, t *tile, n int)
				matrices *[tileOut + 1]winograd.Matrix
				cells    []cell
			}{
				"input":    {v.gatherInput, &winograd.Input, part.input},
				"gradient": {v.gatherGradient, &winograd.Gradient, part.gradient},
			} {
				dst := make([]float32, points*plane)
				g.gather(dst, plane, src, part, c.in)
				m, n := g.matrices[part.rows], g.matrices[part.columns]
				for channel := range c.in {
					want := exactSandwich(m, n, func(p, q int) float32 {
						cell := g.cells[q*m.Columns()+p]
						if cell.mask == 0 {
							return 0
						}
						return src[int(cell.offset)/4+channel]
					})
					for i := range m.Rows() {
						for j := range n.Rows() {
							at := winograd.Point(i, part.rows)*side + winograd.Point(j, part.columns)
							what := fmt.Sprintf("%s, %dx%d, channel %d, point %d", name, part.rows, part.columns, channel, at)
							mustEqual(t, what, dst[at*plane+channel], want[i*n.Rows()+j])
						}
					}
				}
			}
		})
	})
}

func TestScatterIsExact(t *testing.T) {
	eachAssembly(t, func(t *testing.T, v *vectors) {
		rng := rand.New(rand.NewPCG(72, 0))
		eachTile(func(c *Conv, part *tile) {
			size, plane := c.height*c.width*c.out, c.out+5
			src, bias, residual, mask := draw(rng, points*plane), draw(rng, c.out), draw(rng, size), draw(rng, size)
			for number, e := range []epilogue{{}, {bias: bias, relu: true}, {residual: residual, mask: mask}, {bias, residual, mask, true}} {
				dst := make([]float32, size)
				v.scatterOutput(dst, part, src, plane, e, c.out)
				m, n := winograd.Output[part.rows], winograd.Output[part.columns]
				for channel := range c.out {
					want := exactSandwich(m, n, func(p, q int) float32 {
						return src[(winograd.Point(p, part.rows)*side+winograd.Point(q, part.columns))*plane+channel]
					})
					for k, value := range want {
						at := part.offset + k/n.Rows()*part.row + k%n.Rows()*part.column + channel
						finished := make([]float32, size)
						e.finish(finished, at, channel, []float32{value + 0})
						mustEqual(t, fmt.Sprintf("epilogue %d, %dx%d, channel %d, %d", number, part.rows, part.columns, channel, k), dst[at], finished[at])
					}
				}
			}
		})
	})
}

func TestFilterIsExact(t *testing.T) {
	eachAssembly(t, func(t *testing.T, v *vectors) {
		rng := rand.New(rand.NewPCG(73, 0))
		const n = 48
		for name, f := range map[string]struct {
			transform func(dst []float32, dstPlane int, src []float32, srcPlane, n int)
			matrix    winograd.Matrix
		}{
			"filter":   {v.filter, winograd.Filter},
			"gradient": {v.filterGradient, winograd.FilterGradient},
		} {
			rows, columns := f.matrix.Rows(), f.matrix.Columns()
			src, dst := draw(rng, columns*columns*(n+3)), make([]float32, rows*rows*(n+1))
			f.transform(dst, n+1, src, n+3, n)
			for element := range n {
				want := exactSandwich(f.matrix, f.matrix, func(p, q int) float32 { return src[(p*columns+q)*(n+3)+element] })
				for i, value := range want {
					mustEqual(t, fmt.Sprintf("%s, element %d of plane %d", name, element, i), dst[i*(n+1)+element], value)
				}
			}
		}
	})
}
