package logtext

import (
	"fmt"
	"strconv"
	"strings"
)

// Style is the appearance of a text. Color is the foreground: "" for the usual one, a number of
// the 256 colors of a terminal, or "#rrggbb".
type Style struct {
	Bold, Dim, Italic, Underline bool
	Color                        string
}

// after returns the style after an SGR sequence.
func (s Style) after(parameters string) Style {
	codes := strings.Split(strings.ReplaceAll(parameters, ":", ";"), ";")
	for len(codes) > 0 {
		code, _ := strconv.Atoi(codes[0]) // an empty one is 0
		codes = codes[1:]
		switch {
		case code == 0:
			s = Style{}
		case code == 1:
			s.Bold = true
		case code == 2:
			s.Dim = true
		case code == 3:
			s.Italic = true
		case code == 4:
			s.Underline = true
		case code == 22:
			s.Bold, s.Dim = false, false
		case code == 23:
			s.Italic = false
		case code == 24:
			s.Underline = false
		case code >= 30 && code <= 37:
			s.Color = strconv.Itoa(code - 30)
		case code >= 90 && code <= 97:
			s.Color = strconv.Itoa(code - 90 + 8)
		case code == 39:
			s.Color = ""
		case code == 38:
			s.Color, codes = extended(codes)
		case code == 48 || code == 58:
			_, codes = extended(codes)
		}
	}
	return s
}

// extended returns the color that follows the codes 38, 48 and 58, and the codes after it. A
// color that does not exist is the usual one.
func extended(codes []string) (color string, rest []string) {
	number := func(i int) int {
		n, err := strconv.Atoi(codes[i])
		if err != nil || n > 255 {
			return -1
		}
		return n
	}
	switch {
	case len(codes) >= 2 && codes[0] == "5":
		if n := number(1); n >= 0 {
			return strconv.Itoa(n), codes[2:]
		}
		return "", codes[2:]
	case len(codes) >= 4 && codes[0] == "2":
		if r, g, b := number(1), number(2), number(3); r >= 0 && g >= 0 && b >= 0 {
			return fmt.Sprintf("#%02x%02x%02x", r, g, b), codes[4:]
		}
		return "", codes[4:]
	}
	return "", nil // the rest has no meaning without the color
}

// codes returns the SGR sequence that sets the style.
func (s Style) codes() string {
	list := []string{"0"}
	for _, on := range []struct {
		is   bool
		code string
	}{{s.Bold, "1"}, {s.Dim, "2"}, {s.Italic, "3"}, {s.Underline, "4"}, {s.Color != "", s.colorCode()}} {
		if on.is {
			list = append(list, on.code)
		}
	}
	return "\x1b[" + strings.Join(list, ";") + "m"
}

// colorCode returns the parameters that set the color.
func (s Style) colorCode() string {
	var r, g, b int
	switch n, err := strconv.Atoi(s.Color); {
	case err == nil && n < 8:
		return strconv.Itoa(30 + n)
	case err == nil && n < 16:
		return strconv.Itoa(90 + n - 8)
	case err == nil:
		return fmt.Sprintf("38;5;%d", n)
	}
	_, _ = fmt.Sscanf(s.Color, "#%02x%02x%02x", &r, &g, &b) // a color of extended has this form
	return fmt.Sprintf("38;2;%d;%d;%d", r, g, b)
}
