package stats

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// fakeEnds has a number of ends in each hour before an instant.
type fakeEnds struct {
	perHour func(hour int64) int
	reads   map[int64]int // by hour
	most    int           // number of ends that one read returned
}

func (f *fakeEnds) read(_ context.Context, from, to int64) (ends []podEnd, err error) {
	for hour := from; hour < to; hour++ {
		f.reads[hour]++
		for i := range f.perHour(hour) {
			ends = append(ends, podEnd{id: hour*1_000_000 + int64(i), at: hourAt(hour).Add(time.Duration(i) * time.Millisecond), owner: fmt.Sprint("job-", hour, "-", i/4), node: fmt.Sprint("n", i%50)})
		}
		if to-from > 1 && len(ends) > 4*runEnds || len(ends) > mostEnds {
			return nil, errManyPods
		}
	}
	f.most = max(f.most, len(ends))
	return ends, nil
}

// newFakeReader returns a reader whose clock is at now.
func newFakeReader(now *time.Time, perHour func(hour int64) int) (*podReader, *fakeEnds) {
	p, f := newPodReader(func() time.Time { return *now }), &fakeEnds{perHour: perHour, reads: map[int64]int{}}
	p.source = f.read
	return p, f
}

// fillAll requests a window until it is complete, at most some times. It returns the number of
// requests.
func fillAll(t *testing.T, p *podReader, w Window, most int) int {
	t.Helper()
	for asked := 1; ; asked++ {
		if err := p.fill(t.Context(), w.To, []Window{w}); err != nil {
			t.Fatal(err)
		}
		if !p.hours.since(w).After(w.From) || asked == most {
			return asked
		}
	}
}

// TestMonthOfPods: a month with more ends than one request reads becomes complete after some
// requests, beginning with the newest hour. A complete hour is not read again before its next age.
func TestMonthOfPods(t *testing.T) {
	now := time.Date(2026, 3, 31, 9, 30, 0, 0, time.UTC)
	busy := func(hour int64) int {
		if hour/24%7 < 2 { // weekends
			return 3
		}
		return 200
	}
	p, f := newFakeReader(&now, busy)
	w := Window{From: now.AddDate(0, 0, -30), To: now}
	if err := p.fill(t.Context(), now, []Window{w}); err != nil {
		t.Fatal(err)
	}
	first := p.hours.since(w)
	if n := p.hours.kept; n < endsAtOnce || n > endsAtOnce+4*runEnds || !first.After(w.From) || !first.Before(now.Add(-24*time.Hour)) {
		t.Errorf("one request has read %d ends, since %v", n, first)
	}
	asked := fillAll(t, p, w, 100)
	want := 0
	low, high := hoursOf(w)
	for hour := low; hour <= high; hour++ {
		want += busy(hour)
		if n := f.reads[hour]; n == 0 || n > 3 {
			t.Errorf("hour %d was read %d times", hour, n)
		}
	}
	if p.hours.kept != want || len(p.hours.byID) != want || asked > 12 || f.most > 4*runEnds {
		t.Errorf("%d of %d ends after %d requests, %d at once", p.hours.kept, want, asked, f.most)
	}
	clear(f.reads)
	fillAll(t, p, w, 1)
	if len(f.reads) != 0 {
		t.Errorf("%d hours were read again at once", len(f.reads))
	}
	now = now.Add(20 * time.Second)
	fillAll(t, p, w, 1)
	if len(f.reads) != 1 || f.reads[high] != 1 {
		t.Errorf("20 s later these were read: %v", f.reads)
	}
}

// TestLatePods: ends that were recorded late are counted when their hour reaches the next age.
func TestLatePods(t *testing.T) {
	now := time.Date(2026, 3, 31, 9, 30, 0, 0, time.UTC)
	perHour := map[int64]int{}
	p, _ := newFakeReader(&now, func(hour int64) int { return perHour[hour] })
	hour := now.Unix() / 3600
	kept := func() int {
		t.Helper()
		fillAll(t, p, Window{From: hourAt(hour), To: hourAt(hour + 1)}, 1)
		return len(p.hours.byID)
	}
	for i, step := range []struct {
		age  time.Duration // after the end of the hour
		want int
	}{
		{-20 * time.Minute, 1},
		{-20*time.Minute + 14*time.Second, 1}, // not read again yet
		{-19 * time.Minute, 3},
		{9 * time.Minute, 4},
		{10 * time.Minute, 5},
		{59 * time.Minute, 5},
		{time.Hour, 7},
		{5 * time.Hour, 7},
		{7 * time.Hour, 9},
		{23 * time.Hour, 9},
		{25 * time.Hour, 11},
		{6 * 24 * time.Hour, 11},
		{8 * 24 * time.Hour, 13},
		{80 * 24 * time.Hour, 13},
	} {
		perHour[hour] = i + 1
		now = hourAt(hour + 1).Add(step.age)
		if got := kept(); got != step.want {
			t.Errorf("%v after the hour: %d ends, want %d", step.age, got, step.want)
		}
	}
	perHour[hour] = 2 // others were withdrawn
	p.hours.hours[hour].readAt = time.Time{}
	if got := kept(); got != 2 || len(p.hours.byOwner) != 1 || p.hours.kept != 2 {
		t.Errorf("%d ends of %d owners, %d kept", got, len(p.hours.byOwner), p.hours.kept)
	}
}

// TestCutOff: if a run takes too long, shorter runs follow, and the window becomes complete.
func TestCutOff(t *testing.T) {
	now := time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC)
	p, f := newFakeReader(&now, func(int64) int { return 1 })
	p.length = maxRun
	p.source = func(ctx context.Context, from, to int64) ([]podEnd, error) {
		if to-from > 3 {
			return nil, context.DeadlineExceeded
		}
		return f.read(ctx, from, to)
	}
	w := Window{From: now.Add(-30 * time.Hour), To: now}
	asked := 0
	for ; p.hours.since(w).After(w.From) && asked < 100; asked++ {
		_ = p.fill(t.Context(), now, []Window{w}) // the read is canceled
	}
	if asked == 100 || len(p.hours.byID) != 30 {
		t.Errorf("%d ends after %d requests", len(p.hours.byID), asked)
	}
}

// TestTooManyPods: if there are more ends than the limit, the newest hours count, and the answer
// has their beginning.
func TestTooManyPods(t *testing.T) {
	now := time.Date(2026, 3, 31, 9, 0, 0, 0, time.UTC)
	p, f := newFakeReader(&now, func(int64) int { return 50 })
	p.hours.most = 1000
	w := Window{From: now.Add(-48 * time.Hour), To: now}
	fillAll(t, p, w, 10)
	if since := p.hours.since(w); !since.Equal(now.Add(-20*time.Hour)) || p.hours.kept != 1000 {
		t.Errorf("got %d ends since %v, want 1000 of the last 20 hours", p.hours.kept, since)
	}
	for hour, n := range f.reads {
		if n > 2 {
			t.Errorf("hour %d was read %d times", hour, n)
		}
	}
	p, f = newFakeReader(&now, func(hour int64) int {
		if hour == now.Unix()/3600-3 {
			return mostEnds + 1
		}
		return 1
	})
	fillAll(t, p, w, 10)
	if since := p.hours.since(w); !since.Equal(now.Add(-2*time.Hour)) || f.reads[now.Unix()/3600-3] > 4 { // in shorter runs, then alone
		t.Errorf("after an hour with too many ends: since %v, %d reads", since, f.reads[now.Unix()/3600-3])
	}
}
