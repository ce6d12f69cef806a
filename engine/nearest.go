package engine

// DidYouMean returns "; did you mean WORD?" for the end of an error, or "" if no word is like text.
func DidYouMean(text string, words []string) string {
	if near := Nearest(text, words); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// Nearest returns the word with the least edit distance from text, or "" if that is more than 2 or half of text.
func Nearest(text string, words []string) (near string) {
	least := min(2, len(text)/2) + 1
	for _, word := range words {
		if d := distance(text, word); d < least {
			near, least = word, d
		}
	}
	return near
}

// distance returns the edit distance of two words, in bytes: of insertions, deletions, changes, and swaps of
// neighbours.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1) // distances from the first i bytes of a to each prefix of b
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
				continue
			}
			rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
