package engine

import "slices"

// DidYouMean returns "; did you mean WORD?" for the end of an error, or "" if no word is like text.
func DidYouMean(text string, words []string) string {
	if len(words) == 0 {
		return ""
	}
	near := Nearest(text, words)
	if distance(text, near) > min(2, len(text)/2) {
		return ""
	}
	return "; did you mean " + near + "?"
}

// Nearest returns the word with the least edit distance from text.
func Nearest(text string, words []string) string {
	return slices.MinFunc(words, func(a, b string) int { return distance(text, a) - distance(text, b) })
}

// distance returns the Levenshtein distance of two words, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1) // distances from the first i bytes of a to each prefix of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal, row[j+1] = row[j+1], min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
