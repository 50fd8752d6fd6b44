package identity

import "net/http"

// themeOf returns the theme that the person has chosen.
func themeOf(r *http.Request) string {
	if c, err := r.Cookie("vedette_theme"); err == nil && (c.Value == "light" || c.Value == "dark") {
		return c.Value
	}
	return "system"
}
