package units

import (
	"fmt"
	"strings"
	"time"
)

// Duration formats a duration with at most two units.
func Duration(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	case d < 48*time.Hour:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
	}
	h := int(d.Round(time.Hour).Hours())
	return fmt.Sprintf("%dd%dh", h/24, h%24)
}

// ShortDuration formats a duration without units that are zero: 30m, 1h30m.
func ShortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// TimeOfDay formats the time since midnight as 22:30.
func TimeOfDay(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d", int(d.Hours()), int(d.Minutes())%60)
}
