package report

import (
	"fmt"
	"html"
	"math"
)

// Bars is a chart of horizontal bars: one for each name and group.
type Bars struct {
	Title, Unit string
	Label       func(float64) string
	Groups      []Group
}

// Group is a group of bars with a heading.
type Group struct {
	Name string
	Bars []Bar
}

// Bar is one bar.
type Bar struct {
	Name  string
	Color int
	Value float64
}

// barHeight is the height of a bar and the space below it, in pixels.
const barHeight = 20

// SVG draws the bars.
func (b Bars) SVG() []byte {
	rows := 0
	var values []float64
	for _, g := range b.Groups {
		rows += len(g.Bars) + 2
		for _, bar := range g.Bars {
			values = append(values, bar.Value)
		}
	}
	height := top + rows*barHeight + bottom
	w := open(b.Title, height)
	const names = 230
	x := Axis{Label: b.Label}.fit(values, names, plotWidth-names-90)
	for _, v := range x.Ticks {
		fmt.Fprintf(w, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			x.place(v), top, x.place(v), height-bottom, x.place(v), height-bottom+18, html.EscapeString(x.Label(v)))
	}
	y := top + barHeight
	for _, g := range b.Groups {
		fmt.Fprintf(w, `<text class="title" x="16" y="%d" style="font-size:14px">%s</text>`+"\n", y, html.EscapeString(g.Name))
		y += 6
		for _, bar := range g.Bars {
			length := math.Max(1, x.place(bar.Value)-names)
			fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="end">%s</text><rect class="d%d" x="%d" y="%d" width="%.1f" height="%d"/><text x="%.1f" y="%d">%s</text>`+"\n",
				names-8, y+14, html.EscapeString(bar.Name), bar.Color%colors, names, y+3, length, barHeight-6, names+length+6, y+14, html.EscapeString(b.Label(bar.Value)))
			y += barHeight
		}
		y += 2*barHeight - 6
	}
	fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n</svg>\n", (names+plotWidth-90)/2, height-16, html.EscapeString(b.Unit))
	return w.Bytes()
}
