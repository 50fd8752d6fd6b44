package channeltest

import "testing"

// TestMarkupThatIsFound: the finders find each construct.
func TestMarkupThatIsFound(t *testing.T) {
	for _, text := range []string{
		"[a](b)", "![a](b)", "<b>", "</at>", "<at id=all>", "<@all>", "`a`", "https://a", "@all", "&lt;", "&#60;", `\*`, "# a", "> a", "- a", "1. a", "---", "    a", "a | b",
		"*a*", "**a**", "_a_", "__a__", "~~a~~", "a *b* c", "(*a*)", "*\u200ba*\u200b",
	} {
		if len(FindMarkdown(text)) == 0 {
			t.Errorf("Markdown: nothing in %q", text)
		}
	}
	for _, text := range []string{"<b>", "`a`", "*a*", "_a_", "~a~", "@here", ":tada:", "&gt; a", "<!here>", "https://a", "&lt"} {
		if len(FindMrkdwn(text)) == 0 {
			t.Errorf("mrkdwn: nothing in %q", text)
		}
	}
	for _, text := range []string{"a_b_c", "a * b", "2 * 3 * 4", "10:21:42", "a - b", "1.5 GiB", "第 1、2 次", "a.b/c", "［a］（b）"} {
		if found := append(FindMarkdown(text), FindMrkdwn(text)...); len(found) > 0 {
			t.Errorf("%q: got markup %q, want none", text, found)
		}
	}
	if len(FindLark("&#60;at id=all&#62;")) > 0 || len(FindLark("<at id=all></at>")) == 0 || len(FindLark("&lt;")) == 0 {
		t.Error("lark_md")
	}
}

// TestMarkupOfPayloads: markup that the channel did not write is found in payloads.
func TestMarkupOfPayloads(t *testing.T) {
	for name, found := range map[string][]string{
		"Feishu mention":   FeishuMarkup(`{"card":{"elements":[{"tag":"div","text":{"tag":"lark_md","content":"<at id=all></at>"}}]}}`, "ou_1"),
		"Feishu link":      FeishuMarkup(`{"card":{"elements":[{"tag":"div","text":{"tag":"lark_md","content":"[a](https://evil.example)"}}]}}`, "ou_1"),
		"Feishu log":       FeishuMarkup("{\"card\":{\"elements\":[{\"tag\":\"markdown\",\"content\":\"```\\na\\n```\\n<at id=all></at>\\n```\"}]}}", "ou_1"),
		"DingTalk mention": DingTalkMarkup(`{"msgtype":"markdown","markdown":{"title":"a","text":"@all"}}`, "138"),
		"DingTalk title":   DingTalkMarkup(`{"msgtype":"markdown","markdown":{"title":"@all","text":"a"}}`, "138"),
		"DingTalk image":   DingTalkMarkup(`{"msgtype":"markdown","markdown":{"title":"a","text":"![a](https://evil.example)"}}`, "138"),
		"WeCom mention":    WeComMarkup(`{"msgtype":"markdown","markdown":{"content":"<@all>"}}`, "liwei"),
		"WeCom font":       WeComMarkup(`{"msgtype":"markdown","markdown":{"content":"<font color=\"red\">a</font>"}}`, "liwei"),
		"WeCom card":       WeComMarkup(`{"template_card":{"sub_title_text":"@all"}}`, "liwei"),
		"Slack mention":    SlackMarkup(`{"text":"<!channel>"}`, "U1"),
		"Slack block":      SlackMarkup(`{"text":"a","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"<https://evil.example|a>"}}]}`, "U1"),
		"Slack header":     SlackMarkup(`{"text":"a","blocks":[{"type":"header","text":{"type":"plain_text","text":"<!here>"}}]}`, "U1"),
		"Teams mention":    TeamsMarkup(`{"msteams":{"entities":[{"type":"mention","mentioned":{"id":"other"}}]}}`, "liwei"),
		"Teams run":        TeamsMarkup(`{"body":[{"type":"TextRun","text":"<at>x</at>"}]}`, "liwei"),
		"Teams fact":       TeamsMarkup(`{"facts":[{"title":"a","value":"[a](https://evil.example)"}]}`, "liwei"),
		"Teams link":       TeamsMarkup(`{"actions":[{"type":"Action.OpenUrl","url":"https://evil.example"}]}`, "liwei"),
	} {
		if len(found) == 0 {
			t.Errorf("%s: nothing found", name)
		}
	}
}
