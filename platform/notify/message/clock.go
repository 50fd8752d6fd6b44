package message

import (
	"fmt"
	"strconv"
	"time"
)

// clock formats times for a receiver. Times of another day than now include the date.
type clock struct {
	location *time.Location
	now      time.Time
	language string
}

// minutes returns "10:21", or "Nov 21 22:10" for another day.
func (c clock) minutes(t time.Time) string { return c.at(t, "15:04") }

// seconds returns "10:21:42", or "Nov 21 22:10:42" for another day.
func (c clock) seconds(t time.Time) string { return c.at(t, "15:04:05") }

func (c clock) at(t time.Time, layout string) string {
	t = t.In(c.location)
	now := c.now.In(c.location)
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format(layout)
	}
	return c.date(t) + " " + t.Format(layout)
}

// date returns "Nov 21", with the year if it differs from now.
func (c clock) date(t time.Time) string {
	t = t.In(c.location)
	other := t.Year() != c.now.In(c.location).Year()
	switch {
	case c.language == Chinese && other:
		return fmt.Sprintf("%d 年 %d 月 %d 日", t.Year(), t.Month(), t.Day())
	case c.language == Chinese:
		return fmt.Sprintf("%d 月 %d 日", t.Month(), t.Day())
	case other:
		return t.Format("Jan 2, 2006")
	}
	return t.Format("Jan 2")
}

// zone returns "UTC+8", "UTC-3:30" or "UTC".
func (c clock) zone() string {
	_, offset := c.now.In(c.location).Zone()
	if offset == 0 {
		return "UTC"
	}
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	text := "UTC" + sign + strconv.Itoa(offset/3600)
	if minutes := offset % 3600 / 60; minutes != 0 {
		text += fmt.Sprintf(":%02d", minutes)
	}
	return text
}
