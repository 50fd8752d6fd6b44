package smoke_test

import (
	"context"
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/vedette-io/vedette/conformance/browser"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/portal"
	"github.com/vedette-io/vedette/platform/portal/identity"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestAttackLocalBrowser: a browser without the local token gets a page that says what to do. The
// address with the token opens the portal, and its pages follow changes; the token is not in their
// address.
func TestAttackLocalBrowser(t *testing.T) {
	const token = "correct-horse-battery-staple"
	s := &stage{t: t, db: must(sqldb.Open(t.Context(), dbtest.Empty(t, "sqlite")))(t)}
	t.Cleanup(func() { _ = s.db.Close() })
	must(s.db.Migrate(t.Context()))(t)
	p := must(portal.New(portal.Config{DB: s.db, Version: "smoke", Logger: slog.New(slog.DiscardHandler), Identity: identity.Config{LocalToken: token}}))(t)
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	s.base = "http://" + listener.Addr().String()
	s.run("the portal", func(ctx context.Context) error { return p.Serve(ctx, listener) })
	patience.NoError(t, "the portal is ready", p.Ready)

	tab := browser.New(t).Tab(s.base)
	tab.Open("/jobs")
	tab.Shows("main", "vedette portal url")
	tab.Do(chromedp.Navigate(identity.LocalURL(s.base, token)))
	tab.Shows(".badge", "Not recorded")
	if at := tab.Text("location.href + document.referrer + document.cookie"); !strings.HasPrefix(at, s.base) || strings.Contains(at, "staple") {
		t.Errorf("the address, the referrer and the cookies for scripts are %s", at)
	}
}
