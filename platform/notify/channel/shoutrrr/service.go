package shoutrrr

import (
	"net/url"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/discord"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/googlechat"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/matrix"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/mattermost"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/rocketchat"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/signal"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/zulip"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/bark"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/gotify"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ifttt"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/join"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/ntfy"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushbullet"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/push/pushover"
	"github.com/nicholas-fedor/shoutrrr/pkg/services/specialized/notifiarr"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

// reach is how access to the private network is prevented for a service.
type reach int

const (
	guarded reach = iota // we set its HTTP client
	checked              // we check its host before each message
	fixed                // its host is fixed in the library
)

// service is a kind of service that the library supports.
type service struct {
	open  func() types.Service
	reach reach
	// title is set if the service has a field for the title.
	title bool
	// markup is set if the service parses text as Markdown.
	markup bool
	// limit is the maximum number of characters of a text.
	limit int
	// host is the host of a fixed service; "" means the host of the URL.
	host string
}

// services are the kinds by the scheme of their URLs.
var services = map[string]service{
	"discord":    {func() types.Service { return new(discord.Service) }, guarded, true, true, 1900, "discord.com"},
	"telegram":   {func() types.Service { return new(telegram.Service) }, guarded, false, false, 1000, "api.telegram.org"}, // 4,096 bytes
	"mattermost": {func() types.Service { return new(mattermost.Service) }, guarded, false, true, 3500, ""},
	"rocketchat": {func() types.Service { return new(rocketchat.Service) }, guarded, false, true, 3500, ""},
	"ntfy":       {func() types.Service { return new(ntfy.Service) }, guarded, true, false, 1000, ""}, // 4,096 bytes
	"gotify":     {func() types.Service { return new(gotify.Service) }, guarded, true, false, 3500, ""},
	"pushover":   {func() types.Service { return new(pushover.Service) }, guarded, true, false, 1000, "api.pushover.net"},
	"matrix":     {func() types.Service { return new(matrix.Service) }, checked, false, false, 3500, ""},
	"zulip":      {func() types.Service { return new(zulip.Service) }, checked, false, true, 2400, ""}, // 10,000 bytes
	"signal":     {func() types.Service { return new(signal.Service) }, checked, false, false, 1900, ""},
	"bark":       {func() types.Service { return new(bark.Service) }, checked, true, false, 1000, ""},
	"googlechat": {func() types.Service { return new(googlechat.Service) }, checked, false, true, 1000, ""}, // 4,096 bytes
	"ifttt":      {func() types.Service { return new(ifttt.Service) }, fixed, false, false, 1000, "maker.ifttt.com"},
	"join":       {func() types.Service { return new(join.Service) }, fixed, true, false, 1000, "joinjoaomgcd.appspot.com"},
	"pushbullet": {func() types.Service { return new(pushbullet.Service) }, fixed, true, false, 1000, "api.pushbullet.com"},
	"notifiarr":  {func() types.Service { return new(notifiarr.Service) }, fixed, false, true, 1000, "notifiarr.com"},
}

// ours maps services of the library to the channels of this program that replace them.
var ours = map[string]string{
	"slack": "slack", "teams": "teams", "pagerduty": "pagerduty", "opsgenie": "opsgenie", "lark": "feishu", "feishu": "feishu", "wecom": "wecom", "dingtalk": "dingtalk",
	"dingding": "dingtalk", "smtp": "email", "generic": "webhook", "logger": "stdout",
}

// forbidden are URL settings that would make text of users markup, or weaken the
// encryption without need.
var forbidden = map[string]bool{"parsemode": true, "json": true, "insecureskipverify": true, "disabletlsverification": true, "html": true, "template": true}

// hostOf returns the host of a service, with its port.
func (s *service) hostOf(u *url.URL) string {
	if s.host != "" {
		return s.host
	}
	return u.Host
}

// plainHTTP reports whether the URL turns encryption off.
func plainHTTP(u *url.URL) bool {
	for name, values := range u.Query() {
		for _, v := range values {
			switch v = strings.ToLower(v); strings.ToLower(name) {
			case "disabletls":
				if v == "yes" || v == "true" || v == "1" {
					return true
				}
			case "scheme":
				if v == "http" {
					return true
				}
			}
		}
	}
	return false
}
