package channel_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/notify/channel"
)

// TestGuardRefuses: no private address is allowed, in any notation.
func TestGuardRefuses(t *testing.T) {
	for _, c := range []struct{ address, why string }{
		{"127.0.0.1", "this machine"},
		{"127.255.255.254", "this machine"},
		{"::1", "this machine"},
		{"0.0.0.0", "unspecified"},
		{"0.1.2.3", "unspecified"},
		{"::", "unspecified"},
		{"10.0.0.1", "private"},
		{"172.16.0.1", "private"},
		{"172.31.255.255", "private"},
		{"192.168.1.1", "private"},
		{"fc00::1", "private"},
		{"fd12:3456::1", "private"},
		{"fec0::1", "private"},
		{"100.64.0.1", "carrier"},
		{"100.127.255.255", "carrier"},
		{"169.254.1.1", "link-local"},
		{"fe80::1", "link-local"},
		{"fe80::1%eth0", "link-local"},
		{"169.254.169.254", "metadata"},
		{"169.254.170.2", "metadata"},
		{"100.100.100.200", "metadata"},
		{"192.0.0.192", "metadata"},
		{"168.63.129.16", "metadata"},
		{"fd00:ec2::254", "metadata"},
		{"fd20:ce::254", "metadata"},
		{"224.0.0.1", "multicast"},
		{"239.1.1.1", "multicast"},
		{"ff02::1", "multicast"},
		{"255.255.255.255", "reserved"},
		{"240.0.0.1", "reserved"},
		{"198.18.0.1", "reserved"},
		{"192.0.2.1", "documents"},
		{"2001:db8::1", "documents"},
		{"::ffff:127.0.0.1", "this machine"},
		{"::ffff:169.254.169.254", "metadata"},
		{"::ffff:10.1.2.3", "private"},
		{"::127.0.0.1", "reserved"},
		{"64:ff9b::7f00:1", "this machine"},
		{"64:ff9b::a9fe:a9fe", "metadata"},
		{"64:ff9b::10.0.0.1", "private"},
		{"64:ff9b:1::a00:1", "NAT64"},
		{"2002:a9fe:a9fe::1", "6to4"},
		{"2002:0808:0808::1", "6to4"},
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"},
		{"4000::1", "reserved"},
		{"100::1", "reserved"},
	} {
		var refused *channel.RefusedError
		err := new(channel.Guard).Check("hooks.example", netip.MustParseAddr(c.address))
		if !errors.As(err, &refused) || !strings.Contains(refused.Why, c.why) {
			t.Errorf("%s: %v, want refused as %s", c.address, err, c.why)
		}
	}
	for _, address := range []string{"8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808"} {
		if err := new(channel.Guard).Check("hooks.example", netip.MustParseAddr(address)); err != nil {
			t.Errorf("%s: %v, want allowed", address, err)
		}
	}
	if err := new(channel.Guard).Check("", netip.Addr{}); err == nil {
		t.Error("the invalid address is allowed")
	}
}

// TestGuardAllows: only addresses that the settings allow are allowed; a metadata service
// must be named by its single address.
func TestGuardAllows(t *testing.T) {
	networks := func(all ...string) (p []netip.Prefix) {
		for _, n := range all {
			p = append(p, netip.MustParsePrefix(n))
		}
		return p
	}
	for _, c := range []struct {
		name          string
		guard         channel.Guard
		host, address string
		allowed       bool
	}{
		{"a network", channel.Guard{Allow: networks("10.0.0.0/8")}, "a", "10.1.2.3", true},
		{"beside it", channel.Guard{Allow: networks("10.0.0.0/16")}, "a", "10.1.2.3", false},
		{"mapped", channel.Guard{Allow: networks("10.0.0.0/8")}, "a", "::ffff:10.1.2.3", true},
		{"the network is mapped", channel.Guard{Allow: networks("::ffff:10.0.0.0/104")}, "a", "10.1.2.3", true},
		{"through NAT64", channel.Guard{Allow: networks("10.0.0.0/8")}, "a", "64:ff9b::a01:203", true},
		{"IPv6", channel.Guard{Allow: networks("fd12::/16")}, "a", "fd12::7", true},
		{"all", channel.Guard{Allow: networks("0.0.0.0/0", "::/0")}, "a", "127.0.0.1", true},
		{"all, without the metadata", channel.Guard{Allow: networks("0.0.0.0/0", "::/0")}, "a", "169.254.169.254", false},
		{"all, without the metadata of IPv6", channel.Guard{Allow: networks("::/0")}, "a", "fd00:ec2::254", false},
		{"the metadata alone", channel.Guard{Allow: networks("169.254.169.254/32")}, "a", "169.254.169.254", true},
		{"a host", channel.Guard{AllowHosts: []string{"hook.corp"}}, "Hook.Corp.", "10.1.2.3", true},
		{"another host", channel.Guard{AllowHosts: []string{"hook.corp"}}, "xhook.corp", "10.1.2.3", false},
		{"a host below", channel.Guard{AllowHosts: []string{"*.corp"}}, "a.b.corp", "10.1.2.3", true},
		{"not the name above", channel.Guard{AllowHosts: []string{"*.corp"}}, "corp", "10.1.2.3", false},
		{"not every host", channel.Guard{AllowHosts: []string{"*"}}, "a", "10.1.2.3", false},
		{"a host that is the metadata", channel.Guard{AllowHosts: []string{"hook.corp"}}, "hook.corp", "169.254.169.254", false},
		{"denied", channel.Guard{Deny: networks("8.8.0.0/16")}, "a", "8.8.8.8", false},
		{"denied wins", channel.Guard{Allow: networks("10.0.0.0/8"), Deny: networks("10.9.0.0/16")}, "a", "::ffff:10.9.1.1", false},
	} {
		err := c.guard.Check(c.host, netip.MustParseAddr(c.address))
		if (err == nil) != c.allowed {
			t.Errorf("%s: %v, want allowed: %v", c.name, err, c.allowed)
		}
	}
}
