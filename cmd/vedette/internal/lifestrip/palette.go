package lifestrip

import (
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/job"
)

// Colors is the number of colors of a terminal.
type Colors uint8

// The values of Colors.
const (
	// None: states differ only by glyphs.
	None Colors = iota
	// Sixteen are the colors of the terminal's theme.
	Sixteen
	// Indexed are 256 fixed colors.
	Indexed
	// True is 24-bit color.
	True
)

// gap is the time in which the job was not watched. It is not a state of package job.
const gap job.State = "gap"

// appearance is how a state is drawn. Colors are for a light and a dark background.
type appearance struct {
	glyph, ascii          rune
	icon                  rune
	light, dark           uint32
	lightIndex, darkIndex uint8 // of 256
	sixteen               string
}

var appearances = map[job.State]appearance{
	job.Submitted:  {'╌', '.', '◌', 0x767D86, 0x6B7687, 244, 243, "90"},
	job.Queued:     {'━', '-', '◔', 0xC18600, 0xF3C558, 136, 221, "33"},
	job.Starting:   {'▚', '+', '◑', 0x239FC4, 0x8FE8F6, 38, 123, "36"},
	job.Running:    {'█', '#', '●', 0x246FDE, 0x3B89FB, 26, 33, "34"},
	job.Suspended:  {'═', '=', '‖', 0x384154, 0xAAB5D9, 238, 146, "37"},
	job.Restarting: {'▌', '!', '↻', 0xA61487, 0xE552C1, 126, 170, "35"},
	job.Succeeded:  {'✓', 'v', '✓', 0x19774D, 0x15C387, 29, 36, "32"},
	job.Failed:     {'✗', 'x', '✗', 0xCD330B, 0xF24914, 166, 202, "31"},
	job.Aborted:    {'■', 'a', '■', 0x62320C, 0xA47D61, 58, 137, "33"},
	job.Deleted:    {'⊖', 'd', '⊖', 0x767D86, 0x6B7687, 244, 243, "90"},
	gap:            {'╱', '/', '╱', 0x8A92A1, 0x69738A, 245, 243, "90"},
	"":             {'·', '?', '·', 0x767D86, 0x6B7687, 244, 243, "90"},
}

// appearanceOf returns the appearance of a state. Unknown words look like an unknown
// state.
func appearanceOf(s job.State) appearance {
	if l, ok := appearances[s]; ok {
		return l
	}
	return appearances[""]
}

// Style describes a terminal. The zero value is UTF-8 without colors.
type Style struct {
	Colors Colors
	// Light is set if the background is light.
	Light bool
	// ASCII is set if the terminal shows only ASCII.
	ASCII bool
}

// StyleOf returns the style of a terminal from its environment: COLORTERM, TERM,
// COLORFGBG, NO_COLOR, LC_ALL, LC_CTYPE and LANG. If colored is false, it has no colors.
func StyleOf(env func(name string) string, colored bool) Style {
	var s Style
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(env(name)); locale != "" {
			s.ASCII = !strings.Contains(locale, "UTF-8") && !strings.Contains(locale, "UTF8")
			break
		}
	}
	if background := env("COLORFGBG"); strings.HasSuffix(background, ";15") || strings.HasSuffix(background, ";7") {
		s.Light = true
	}
	term := env("TERM")
	switch {
	case !colored || env("NO_COLOR") != "" || term == "dumb":
	case env("COLORTERM") == "truecolor" || env("COLORTERM") == "24bit" || strings.HasSuffix(term, "-direct"):
		s.Colors = True
	case strings.Contains(term, "256color"):
		s.Colors = Indexed
	default:
		s.Colors = Sixteen
	}
	return s
}

// Icon returns the icon of a state: one character.
func (s Style) Icon(of job.State) string {
	if s.ASCII {
		return string(appearanceOf(of).ascii)
	}
	return string(appearanceOf(of).icon)
}

// Paint returns text in the color of a state. The text must not contain control sequences.
func (s Style) Paint(of job.State, text string) string {
	l := appearanceOf(of)
	color, index := l.dark, l.darkIndex
	if s.Light {
		color, index = l.light, l.lightIndex
	}
	code := l.sixteen
	switch s.Colors {
	case None:
		return text
	case Indexed:
		code = fmt.Sprintf("38;5;%d", index)
	case True:
		code = fmt.Sprintf("38;2;%d;%d;%d", color>>16, color>>8&0xff, color&0xff)
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
