package joblog

import "strings"

// A private key in PEM has its content between two lines.
const (
	keyBegin = "-----BEGIN "
	keyEnd   = "-----END "
	keyWords = "PRIVATE KEY"
)

// maxKeyLines is the maximum number of lines of a private key.
const maxKeyLines = 400

// replaceKeys replaces the content of private keys. It keeps the lines with the begin and
// end marks, so that the rest of a key is found when it arrives later. It also replaces a
// part of a key at the beginning or the end of the lines.
func replaceKeys(lines []string) {
	replaceFirstPart(lines)
	for i := 0; i < len(lines); i++ {
		if !strings.Contains(lines[i], keyWords) {
			continue
		}
		switch begin, end := keyMark(lines[i], keyBegin), keyMark(lines[i], keyEnd); {
		case begin >= 0:
			i = replaceFrom(lines, i, begin)
		case end >= 0:
			replaceBefore(lines, i)
		}
	}
}

// keyMark returns the offset after a begin mark of a private key in a line, or -1. For an
// end mark it returns the offset of the mark.
func keyMark(line, mark string) int {
	for from := 0; ; {
		i := strings.Index(line[from:], mark)
		if i < 0 {
			return -1
		}
		i += from
		label, rest, closed := strings.Cut(line[i+len(mark):], "-----")
		if closed && strings.Contains(label, keyWords) && len(label) < 60 {
			if mark == keyEnd {
				return i
			}
			return len(line) - len(rest)
		}
		from = i + len(mark)
	}
}

// replaceFrom replaces a key whose content begins in a line, and returns the line in which
// it ends.
func replaceFrom(lines []string, first, begin int) int {
	rest := lines[first][begin:]
	if end := keyMark(rest, keyEnd); end >= 0 { // all of it is in one line
		lines[first] = lines[first][:begin] + redacted + replaceRest(rest[end:])
		return first
	}
	last := first
	for i := first + 1; i < len(lines) && i <= first+maxKeyLines; i++ {
		if end := keyMark(lines[i], keyEnd); end >= 0 {
			last = i
			if strings.TrimSpace(lines[i][:end]) != "" && len(strings.Fields(lines[i][:end])) == 1 && isKeyText(lines[i][:end], 1) {
				lines[i] = redacted + lines[i][end:]
			}
			break
		}
	}
	if len(strings.Trim(rest, ` "'\nr,`)) > 0 {
		lines[first] = lines[first][:begin] + redacted
	}
	if last > first {
		for i := first + 1; i < last; i++ {
			lines[i] = redacted
		}
		return last
	}
	least := shortKeyLine
	for last+1 < len(lines) && last < first+maxKeyLines && isKeyLine(lines[last+1], least) {
		last++
		if isKeyText(lines[last], shortKeyLine) {
			least = 1
		}
		lines[last] = redacted
	}
	return last
}

// replaceRest replaces more keys in the rest of a line.
func replaceRest(rest string) string {
	if begin := keyMark(rest, keyBegin); begin >= 0 {
		one := []string{rest}
		replaceFrom(one, 0, begin)
		return one[0]
	}
	return rest
}

// replaceBefore replaces the content of a key that ends in a line, and whose begin mark is
// missing.
func replaceBefore(lines []string, end int) {
	least := 1 // the last line may be shorter than the others
	for i := end - 1; i >= 0 && i >= end-maxKeyLines && isKeyLine(lines[i], least); i-- {
		lines[i] = redacted
		least = shortKeyLine
	}
}

// replaceFirstPart replaces a part of a key at the beginning of the lines.
func replaceFirstPart(lines []string) {
	n := 0
	for n < len(lines) && n < maxKeyLines && isKeyText(lines[n], 60) && len(lines[n]) <= 80 {
		n++
	}
	if n < 3 {
		return
	}
	if n < len(lines) && isKeyLine(lines[n], 1) { // the last line of a key may be shorter
		n++
	}
	for i := range n {
		lines[i] = redacted
	}
}

// shortKeyLine is the minimum length of a line of a private key, except for its last line.
const shortKeyLine = 40

// isKeyLine reports whether a line can be the content of a private key: at least least
// characters of base64, possibly after the prefix of a logger; a header; or a redacted
// line.
func isKeyLine(line string, least int) bool {
	line = strings.TrimSpace(line)
	if line == "" || line == redacted || strings.HasPrefix(line, "Proc-Type:") || strings.HasPrefix(line, "DEK-Info:") {
		return true
	}
	last := line[strings.LastIndexAny(line, " \t")+1:]
	if last == line {
		return isKeyText(line, least)
	}
	return isKeyText(last, shortKeyLine)
}

// isKeyText reports whether a text has at least least characters, all of base64.
func isKeyText(text string, least int) bool {
	text = strings.TrimRight(strings.TrimSpace(text), "=")
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '+', c == '/':
		default:
			return false
		}
	}
	return len(text) >= least
}
