package config

import (
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/channel/dingtalk"
	"github.com/vedette-io/vedette/platform/notify/channel/feishu"
	"github.com/vedette-io/vedette/platform/notify/channel/slack"
	"github.com/vedette-io/vedette/platform/notify/channel/teams"
	"github.com/vedette-io/vedette/platform/notify/channel/wecom"
)

// chatKinds are the types for groups of people. Their URLs contain tokens, so they are
// secrets. An address is the ID of a person, who is mentioned.
var chatKinds = map[string]kind{
	"feishu":   {fields: feishuFields, addresses: mayAddress, read: readFeishu(feishu.DefaultURL)},
	"lark":     {fields: feishuFields, addresses: mayAddress, read: readFeishu(feishu.LarkURL)},
	"dingtalk": {fields: []string{"url", "secret"}, addresses: mayAddress, read: readDingTalk},
	"wecom":    {fields: []string{"url"}, addresses: mayAddress, read: readWeCom},
	"slack":    {fields: []string{"url", "token", "conversation"}, addresses: mayAddress, read: readSlack},
	"teams":    {fields: []string{"url"}, addresses: mayAddress, read: readTeams},
}

var feishuFields = []string{"url", "secret", "app", "app-secret", "chat"}

// readFeishu reads a custom bot, or an app, which can also send direct messages.
func readFeishu(api string) func(s *settings) func() (channel.Channel, error) {
	return func(s *settings) func() (channel.Channel, error) {
		o := feishu.Options{URL: s.hidden("url"), Secret: s.hidden("secret"), AppID: s.text("app"), AppSecret: s.hidden("app-secret"), Chat: s.text("chat")}
		if isNull(s.fields["app"]) {
			s.need("url")
		} else {
			s.need("app-secret")
			s.channel.direct = true
			if isNull(s.fields["url"]) {
				o.URL = api
			}
		}
		return func() (channel.Channel, error) {
			o := o
			o.Client = s.client()
			return opened(feishu.New(o))
		}
	}
}

func readDingTalk(s *settings) func() (channel.Channel, error) {
	s.need("url")
	o := dingtalk.Options{URL: s.hidden("url"), Secret: s.hidden("secret")}
	return func() (channel.Channel, error) {
		o := o
		o.Client = s.client()
		return opened(dingtalk.New(o))
	}
}

func readWeCom(s *settings) func() (channel.Channel, error) {
	s.need("url")
	o := wecom.Options{URL: s.hidden("url")}
	return func() (channel.Channel, error) {
		o := o
		o.Client = s.client()
		return opened(wecom.New(o))
	}
}

// readSlack reads an incoming webhook, or a bot, which can also send direct messages.
func readSlack(s *settings) func() (channel.Channel, error) {
	if isNull(s.fields["token"]) {
		s.need("url")
	} else {
		s.need("conversation")
		s.channel.direct = true
	}
	o := slack.Options{URL: s.hidden("url"), Token: s.hidden("token"), Conversation: s.text("conversation")}
	return func() (channel.Channel, error) {
		o := o
		o.Client = s.client()
		return opened(slack.New(o))
	}
}

func readTeams(s *settings) func() (channel.Channel, error) {
	s.need("url")
	o := teams.Options{URL: s.hidden("url")}
	return func() (channel.Channel, error) {
		o := o
		o.Client = s.client()
		return opened(teams.New(o))
	}
}
