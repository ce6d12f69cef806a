package files

import "bytes"

// mark is UTF-8's byte order mark, with which some editors begin a text.
var mark = []byte("\ufeff")

// Text returns a text without the byte order mark that it may begin with.
func Text(content []byte) []byte { return bytes.TrimPrefix(content, mark) }
