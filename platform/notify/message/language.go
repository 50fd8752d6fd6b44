package message

import "strings"

// The languages of messages.
const (
	English = "en"
	Chinese = "zh"
)

// LanguageOf returns English or Chinese for a language tag such as "zh-CN" or "en_US". It
// returns English for "" and for every other language.
func LanguageOf(tag string) string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(tag)), "_", "-"), "-")
	if primary == Chinese {
		return Chinese
	}
	return English
}
