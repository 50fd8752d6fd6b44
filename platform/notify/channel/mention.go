package channel

import (
	"fmt"
	"slices"
	"strings"
)

// everybody has the names with which chats mention all members of a group.
var everybody = []string{"all", "here", "channel", "everyone"}

// maxMention is the maximum length of an ID in bytes.
const maxMention = 128

// CheckMention reports why an ID must not be mentioned: it is empty, too long, contains
// special characters, or means everybody. The IDs come from the table of people.
func CheckMention(id string) error {
	switch plain := strings.ToLower(strings.Trim(id, "@!")); {
	case id == "":
		return fmt.Errorf("the ID to mention is empty")
	case len(id) > maxMention:
		return fmt.Errorf("the ID to mention has %d bytes, more than %d", len(id), maxMention)
	case slices.Contains(everybody, plain):
		return fmt.Errorf("the ID %q mentions everybody", id)
	}
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("_.@+-", r) {
			return fmt.Errorf("the ID to mention contains %q", r)
		}
	}
	return nil
}
