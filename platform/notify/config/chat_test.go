package config

import (
	"strings"
	"testing"
)

// TestAppsOfFeishu: some settings make an app, and others are mistakes.
func TestAppsOfFeishu(t *testing.T) {
	for text, want := range map[string]string{
		"{type: lark, app: cli_1, app-secret: {env: S}, chat: oc_1}":      "",
		"{type: feishu, app: cli_1, app-secret: {env: S}}":                "",
		"{type: feishu, app: cli_1}":                                      "app-secret",
		"{type: feishu, chat: oc_1}":                                      "url",
		"{type: feishu, url: {env: U}, chat: oc_1}":                       "ID of the app is missing",
		"{type: feishu, app: cli_1, app-secret: {env: S}, url: {env: U}}": "neither the URL",
	} {
		file := t.TempDir() + "/f"
		write(t, file, "channels:\n  chat: "+text+"\n")
		c, err := Load(file, environment(map[string]string{"S": "secret", "U": "https://open.feishu.cn/open-apis/bot/v2/hook/token"}))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if err == nil && !c.Channels["chat"].direct {
			t.Errorf("%s: messages to an address reach the group", text)
		}
	}
}
