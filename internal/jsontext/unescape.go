package jsontext

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape appends the value of a string to dst, given the bytes between its quotes. Half
// of a surrogate pair and an unknown escape give U+FFFD, as in encoding/json.
func Unescape(dst, raw []byte) []byte {
	for len(raw) > 0 {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 || n == len(raw)-1 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:n]...)
		c := raw[n+1]
		raw = raw[n+2:]
		switch c {
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case 'n':
			dst = append(dst, '\n')
		case 'r':
			dst = append(dst, '\r')
		case 't':
			dst = append(dst, '\t')
		case 'u':
			r, size := codePoint(raw)
			dst, raw = utf8.AppendRune(dst, r), raw[size:]
		default:
			dst = utf8.AppendRune(dst, utf8.RuneError)
		}
	}
	return dst
}

// codePoint decodes the digits of a \u escape, and the second escape of a surrogate pair.
// size is the number of bytes that it used.
func codePoint(raw []byte) (r rune, size int) {
	r, ok := hex4(raw)
	if !ok {
		return utf8.RuneError, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if len(raw) >= 10 && raw[4] == '\\' && raw[5] == 'u' {
		if low, ok := hex4(raw[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 10
			}
		}
	}
	return utf8.RuneError, 4
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, c := range b[:4] {
		switch {
		case IsDigit(c):
			c -= '0'
		case IsHex(c):
			c = (c | 0x20) - 'a' + 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
