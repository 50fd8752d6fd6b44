package email

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// An icon is drawn on a grid of 24 units, and shown at 14 to 22 pixels. 66 pixels are
// enough for displays with a pixel ratio of 3.
const (
	iconPixels  = 66
	iconUnits   = 24.0
	iconSamples = 4 // per pixel and direction
)

// point is a point of the grid.
type point struct{ x, y float64 }

// shape reports whether a point of the grid is inside.
type shape func(p point) bool

// icon is a figure in the color of the state, with a mark in the color of the page on top.
type icon struct{ figure, mark shape }

// icons are the icons of the states. The words beside them name the state too.
var icons = map[job.State]icon{
	job.Submitted:  {dashed(ring(12, 12, 9, 2.2), 8), nil},
	job.Queued:     {union(ring(12, 12, 9.2, 2.4), stroke(12, 7.2, 12, 12.4, 2.2), stroke(12, 12.2, 15.6, 14.2, 2.2)), nil},
	job.Starting:   {union(ring(12, 12, 9.2, 2.4), both(disc(12, 12, 9.2), half(1, 0, 12)), nil), nil},
	job.Running:    {disc(12, 12, 10.4), triangle(9.4, 7.4, 9.4, 16.6, 17, 12)},
	job.Suspended:  {union(ring(12, 12, 9.2, 2.4), stroke(9.8, 8.8, 9.8, 15.2, 2.2), stroke(14.2, 8.8, 14.2, 15.2, 2.2)), nil},
	job.Restarting: {union(both(ring(12, 12, 8.8, 2.6), not(box(12, 1, 24, 9.6))), triangle(12.4, 0.8, 12.4, 8.4, 18, 4.6), nil), nil},
	job.Succeeded:  {disc(12, 12, 10.4), union(stroke(7.2, 12.4, 10.6, 15.7, 2.4), stroke(10.6, 15.7, 16.8, 8.9, 2.4), nil)},
	job.Failed:     {octagon(12, 12, 10.4), union(stroke(8.6, 8.6, 15.4, 15.4, 2.6), stroke(15.4, 8.6, 8.6, 15.4, 2.6), nil)},
	job.Aborted:    {rounded(12, 12, 9.6, 3), box(8.6, 8.6, 15.4, 15.4)},
	job.Deleted:    {union(ring(12, 12, 9.2, 2.4), stroke(8, 12, 16, 12, 2.4), nil), nil},
}

// gapIcon is the icon of gaps and of messages without a state.
var gapIcon = icon{union(stroke(6, 19, 11, 5, 2.4), stroke(13, 19, 18, 5, 2.4), nil), nil}

// logo is the sign of the program: a V with a point above it, on a rounded square.
var logo = icon{rounded(12, 12, 12, 6), union(stroke(6.6, 7.8, 12, 16.4, 2.4), stroke(17.4, 7.8, 12, 16.4, 2.4), disc(12, 7.6, 1.9))}

// iconOf returns a PNG of a state's icon for a light or a dark page.
func iconOf(s job.State, dark bool) []byte {
	drawn.Lock()
	defer drawn.Unlock()
	key := string(s) + strconv.FormatBool(dark)
	if drawn.images[key] == nil {
		i, ok := icons[s]
		if !ok {
			i = gapIcon
		}
		c, page := message.ColorOf(s).Light, message.Light.Page
		if dark {
			c, page = message.ColorOf(s).Dark, message.Dark.Page
		}
		drawn.images[key] = i.draw(rgb(c), rgb(page))
	}
	return drawn.images[key]
}

// drawn caches the icons. There are few states, so there are few icons.
var drawn = struct {
	sync.Mutex
	images map[string][]byte
}{images: map[string][]byte{}}

// logoOf returns a PNG of the logo for a light or a dark page.
var logoOf = func() func(dark bool) []byte {
	light := sync.OnceValue(func() []byte { return logo.draw(rgb(message.Light.Ink), rgb(message.Light.OnInk)) })
	dark := sync.OnceValue(func() []byte { return logo.draw(rgb(message.Dark.Ink), rgb(message.Dark.OnInk)) })
	return func(isDark bool) []byte {
		if isDark {
			return dark()
		}
		return light()
	}
}()

// draw returns a PNG with a transparent background.
func (i icon) draw(figure, mark color.NRGBA) []byte {
	picture := image.NewNRGBA(image.Rect(0, 0, iconPixels, iconPixels))
	for y := range iconPixels {
		for x := range iconPixels {
			picture.SetNRGBA(x, y, i.pixel(x, y, figure, mark))
		}
	}
	var b bytes.Buffer
	if (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, picture) != nil {
		return nil // impossible: writes to a buffer do not fail
	}
	return b.Bytes()
}

// pixel averages the samples of a pixel.
func (i icon) pixel(x, y int, figure, mark color.NRGBA) color.NRGBA {
	var r, g, b, covered int
	for sy := range iconSamples {
		for sx := range iconSamples {
			p := point{(float64(x) + (float64(sx)+0.5)/iconSamples) * iconUnits / iconPixels, (float64(y) + (float64(sy)+0.5)/iconSamples) * iconUnits / iconPixels}
			c := figure
			switch {
			case i.mark != nil && i.mark(p):
				c = mark
			case !i.figure(p):
				continue
			}
			r, g, b, covered = r+int(c.R), g+int(c.G), b+int(c.B), covered+1
		}
	}
	if covered == 0 {
		return color.NRGBA{}
	}
	return color.NRGBA{uint8(r / covered), uint8(g / covered), uint8(b / covered), uint8(covered * 255 / (iconSamples * iconSamples))}
}

// rgb parses a color of six hexadecimal digits.
func rgb(text string) color.NRGBA {
	v, err := strconv.ParseUint(strings.TrimPrefix(text, "#"), 16, 24)
	if err != nil {
		return color.NRGBA{A: 255}
	}
	return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

func disc(x, y, radius float64) shape {
	return func(p point) bool { return math.Hypot(p.x-x, p.y-y) <= radius }
}

// ring is a circle with a line width; radius is the radius of the middle of the line.
func ring(x, y, radius, width float64) shape {
	return func(p point) bool { return math.Abs(math.Hypot(p.x-x, p.y-y)-radius) <= width/2 }
}

// dashed keeps every second sector of a figure around the center.
func dashed(s shape, parts float64) shape {
	return func(p point) bool {
		turn := math.Atan2(p.y-12, p.x-12)/(2*math.Pi) + 0.5
		return s(p) && math.Mod(turn*parts, 1) < 0.62
	}
}

// stroke is a line with round ends.
func stroke(x1, y1, x2, y2, width float64) shape {
	dx, dy := x2-x1, y2-y1
	length := dx*dx + dy*dy
	return func(p point) bool {
		t := min(max(((p.x-x1)*dx+(p.y-y1)*dy)/length, 0), 1)
		return math.Hypot(p.x-x1-t*dx, p.y-y1-t*dy) <= width/2
	}
}

func box(x1, y1, x2, y2 float64) shape {
	return func(p point) bool { return p.x >= x1 && p.x <= x2 && p.y >= y1 && p.y <= y2 }
}

// rounded is a square around a point, with half the side length and round corners.
func rounded(x, y, half, radius float64) shape {
	return func(p point) bool {
		dx, dy := math.Abs(p.x-x)-(half-radius), math.Abs(p.y-y)-(half-radius)
		return math.Hypot(max(dx, 0), max(dy, 0)) <= radius && max(dx, dy) <= radius
	}
}

// octagon is a regular octagon with a flat top; radius is the distance of its sides from
// the center.
func octagon(x, y, radius float64) shape {
	return func(p point) bool {
		dx, dy := math.Abs(p.x-x), math.Abs(p.y-y)
		return max(dx, dy) <= radius && (dx+dy)/math.Sqrt2 <= radius
	}
}

func triangle(x1, y1, x2, y2, x3, y3 float64) shape {
	side := func(p point, ax, ay, bx, by float64) bool { return (p.x-bx)*(ay-by)-(ax-bx)*(p.y-by) < 0 }
	return func(p point) bool {
		a, b, c := side(p, x1, y1, x2, y2), side(p, x2, y2, x3, y3), side(p, x3, y3, x1, y1)
		return a == b && b == c
	}
}

// half is a half-plane: x*px + y*py >= from.
func half(x, y, from float64) shape {
	return func(p point) bool { return p.x*x+p.y*y >= from }
}

func not(s shape) shape { return func(p point) bool { return !s(p) } }

func both(a, b shape) shape { return func(p point) bool { return a(p) && b(p) } }

// union joins three shapes; the third may be nil.
func union(a, b, c shape) shape {
	return func(p point) bool { return a(p) || b(p) || c != nil && c(p) }
}
