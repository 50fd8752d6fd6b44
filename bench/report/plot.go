package report

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// Plot is a chart with two axes.
type Plot struct {
	Title  string
	X, Y   Axis
	Series []Series
}

// Axis is one axis. Label returns the text of a tick.
type Axis struct {
	Title string
	Log   bool
	Label func(float64) string
	Ticks []float64 // default: chosen automatically
}

// Series is a line with dots.
type Series struct {
	Name   string
	Points []Point
}

// Point is a dot.
type Point struct{ X, Y float64 }

// Dimensions of an image, in pixels.
const (
	plotWidth, plotHeight = 820, 440
	left, right           = 84, 216
	top, bottom           = 44, 60
)

// style is legible on light and on dark backgrounds.
const style = `<style>
:root { color-scheme: light dark; }
.paper { fill: #ffffff; } text { fill: #24292f; font: 13px system-ui, "DejaVu Sans", sans-serif; } .title { font-size: 16px; font-weight: 600; }
.grid { stroke: #d8dee4; stroke-width: 1; } .axis { stroke: #57606a; stroke-width: 1; } .line { fill: none; stroke-width: 2.2; }
.s0 { stroke: #0969da; } .d0 { fill: #0969da; } .s1 { stroke: #bc4c00; } .d1 { fill: #bc4c00; } .s2 { stroke: #1a7f37; } .d2 { fill: #1a7f37; }
.s3 { stroke: #8250df; } .d3 { fill: #8250df; } .s4 { stroke: #bf3989; } .d4 { fill: #bf3989; } .s5 { stroke: #9a6700; } .d5 { fill: #9a6700; } .s6 { stroke: #1b7c83; } .d6 { fill: #1b7c83; }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; } text { fill: #e6edf3; } .grid { stroke: #30363d; } .axis { stroke: #8b949e; }
.s0 { stroke: #58a6ff; } .d0 { fill: #58a6ff; } .s1 { stroke: #f0883e; } .d1 { fill: #f0883e; } .s2 { stroke: #3fb950; } .d2 { fill: #3fb950; }
.s3 { stroke: #bc8cff; } .d3 { fill: #bc8cff; } .s4 { stroke: #f778ba; } .d4 { fill: #f778ba; } .s5 { stroke: #d29922; } .d5 { fill: #d29922; } .s6 { stroke: #39c5cf; } .d6 { fill: #39c5cf; }
}
</style>
`

// colors is the number of colors.
const colors = 7

// open begins an image.
func open(title string, height int) *bytes.Buffer {
	w := new(bytes.Buffer)
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`+"\n",
		plotWidth, height, plotWidth, height, html.EscapeString(title))
	w.WriteString(style)
	fmt.Fprintf(w, `<rect class="paper" width="%d" height="%d"/>`+"\n", plotWidth, height)
	fmt.Fprintf(w, `<text class="title" x="%d" y="24">%s</text>`+"\n", 16, html.EscapeString(title))
	return w
}

// span is the visible part of an axis.
type span struct {
	Axis
	from, to float64
	at, size float64 // in pixels
}

// place returns the position of a value, in pixels.
func (s span) place(v float64) float64 {
	from, to := s.from, s.to
	if s.Log {
		v, from, to = math.Log10(v), math.Log10(from), math.Log10(to)
	}
	return s.at + s.size*(v-from)/(to-from)
}

// fit returns the span of an axis that shows all values.
func (a Axis) fit(values []float64, at, size float64) span {
	s := span{Axis: a, from: math.Inf(1), to: math.Inf(-1), at: at, size: size}
	for _, v := range values {
		s.from, s.to = min(s.from, v), max(s.to, v)
	}
	if a.Log {
		s.from, s.to = math.Pow(10, math.Floor(math.Log10(s.from))), math.Pow(10, math.Ceil(math.Log10(s.to)))
		if s.from == s.to {
			s.to *= 10
		}
		if len(a.Ticks) == 0 {
			for v := s.from; v <= s.to*1.01; v *= 10 {
				s.Ticks = append(s.Ticks, v)
			}
		}
		return s
	}
	s.from = 0
	step := math.Pow(10, math.Floor(math.Log10(max(s.to, 1e-12))))
	for s.to/step < 4 {
		step /= 2
	}
	s.to = math.Ceil(s.to/step) * step
	for v := 0.0; v <= s.to*1.001; v += step {
		s.Ticks = append(s.Ticks, v)
	}
	return s
}

// SVG draws the plot.
func (p Plot) SVG() []byte {
	w := open(p.Title, plotHeight)
	var xs, ys []float64
	for _, s := range p.Series {
		for _, at := range s.Points {
			xs, ys = append(xs, at.X), append(ys, at.Y)
		}
	}
	x := p.X.fit(xs, left, plotWidth-left-right)
	y := p.Y.fit(ys, plotHeight-bottom, -(plotHeight - top - bottom))
	for _, v := range x.Ticks {
		at := x.place(v)
		fmt.Fprintf(w, `<line class="grid" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			at, top, at, plotHeight-bottom, at, plotHeight-bottom+18, html.EscapeString(x.Label(v)))
	}
	for _, v := range y.Ticks {
		at := y.place(v)
		fmt.Fprintf(w, `<line class="grid" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			left, at, plotWidth-right, at, left-8, at+4, html.EscapeString(y.Label(v)))
	}
	fmt.Fprintf(w, `<path class="axis" fill="none" d="M%d %dV%dH%d"/>`+"\n", left, top, plotHeight-bottom, plotWidth-right)
	fmt.Fprintf(w, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (left+plotWidth-right)/2, plotHeight-16, html.EscapeString(p.X.Title))
	fmt.Fprintf(w, `<text transform="translate(18 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", (top+plotHeight-bottom)/2, html.EscapeString(p.Y.Title))
	for i, s := range p.Series {
		s.draw(w, i, x, y)
	}
	w.WriteString("</svg>\n")
	return w.Bytes()
}

func (s Series) draw(w *bytes.Buffer, i int, x, y span) {
	for n, at := range s.Points {
		command := "L"
		if n == 0 {
			command = fmt.Sprintf(`<path class="line s%d" d="M`, i%colors)
		}
		fmt.Fprintf(w, "%s%.1f %.1f", command, x.place(at.X), y.place(at.Y))
	}
	w.WriteString(`"/>`)
	for _, at := range s.Points {
		fmt.Fprintf(w, `<circle class="d%d" cx="%.1f" cy="%.1f" r="3.2"/>`, i%colors, x.place(at.X), y.place(at.Y))
	}
	row := top + 12 + 22*i
	fmt.Fprintf(w, "\n"+`<rect class="d%d" x="%d" y="%d" width="14" height="4"/><text x="%d" y="%d">%s</text>`+"\n",
		i%colors, plotWidth-right+16, row-6, plotWidth-right+38, row, html.EscapeString(s.Name))
}
