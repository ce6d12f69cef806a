package external

import (
	"errors"
	"strings"
)

// splitWords splits a command as a shell does, without variables and patterns: quotes hold words together, and a
// backslash, except on Windows and between single quotes, takes the next letter as it is.
func splitWords(command string, windows bool) ([]string, error) {
	var words []string
	var word strings.Builder
	quote, inWord, escaped := rune(0), false, false
	for _, r := range command {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && !windows:
			inWord, escaped = true, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			inWord, quote = true, r
		case quote == 0 && (r == ' ' || r == '\t'):
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		default:
			inWord = true
			word.WriteRune(r)
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quotation mark or a backslash stands alone")
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}
