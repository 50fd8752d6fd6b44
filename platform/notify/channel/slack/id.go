package slack

import "strings"

// isID reports whether an ID has the form of Slack's IDs: capital letters and digits.
func isID(id string) bool {
	return len(id) >= 2 && len(id) <= 32 && strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == ""
}

// isUser reports whether an ID belongs to a person.
func isUser(id string) bool { return isID(id) && (id[0] == 'U' || id[0] == 'W') }
