package message

import "github.com/vedette-io/vedette/job"

// Color is a color on a light and on a dark background, as six hexadecimal digits.
type Color struct{ Light, Dark string }

// colors are the colors of the portal.
var colors = map[job.State]Color{
	job.Submitted:  {"767D86", "6B7687"},
	job.Queued:     {"C18600", "F3C558"},
	job.Starting:   {"239FC4", "8FE8F6"},
	job.Running:    {"246FDE", "3B89FB"},
	job.Suspended:  {"384154", "AAB5D9"},
	job.Restarting: {"A61487", "E552C1"},
	job.Succeeded:  {"19774D", "15C387"},
	job.Failed:     {"CD330B", "F24914"},
	job.Aborted:    {"62320C", "A47D61"},
	job.Deleted:    {"767D86", "6B7687"},
}

// GapColor is the color of a gap, and of an unknown state.
var GapColor = Color{"8A92A1", "69738A"}

// ColorOf returns the color of a state, or GapColor for an unknown state.
func ColorOf(s job.State) Color {
	if c, ok := colors[s]; ok {
		return c
	}
	return GapColor
}

// Theme has the colors that do not depend on a state, as six hexadecimal digits.
type Theme struct {
	Page, Panel, Hover, Pressed string
	Text1, Text2, Text3         string
	Line, StrongLine, Control   string
	Ink, OnInk                  string
	Accent, AccentBackground    string
	FailurePanel, FailureLine   string
	Added, Removed, Marked      string
}

// Light and Dark are the themes of the portal and of e-mail.
var (
	Light = Theme{
		Page: "FFFFFF", Panel: "F7F8FA", Hover: "EFF1F4", Pressed: "E4E7EC",
		Text1: "12151C", Text2: "454D5C", Text3: "626B7C",
		Line: "E6E8EC", StrongLine: "D3D7DE", Control: "8A92A1",
		Ink: "12151C", OnInk: "FFFFFF", Accent: "5450D6", AccentBackground: "F0F0FC",
		FailurePanel: "FEF6F3", FailureLine: "F1D3C9", Added: "E6F4EA", Removed: "FDE9E4", Marked: "FFF3C9",
	}
	Dark = Theme{
		Page: "0E1015", Panel: "14171E", Hover: "1B1F28", Pressed: "252A35",
		Text1: "E9EBF0", Text2: "AEB5C4", Text3: "858EA0",
		Line: "222732", StrongLine: "323947", Control: "69738A",
		Ink: "E9EBF0", OnInk: "0E1015", Accent: "8E8BFF", AccentBackground: "1C1C33",
		FailurePanel: "22140F", FailureLine: "4A2417", Added: "10281C", Removed: "331611", Marked: "3A3110",
	}
)
