package pages_test

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
)

// fewColors reduces an image to at most 256 of its colors. The pages have few colors, and
// letters have shades between two of them.
func fewColors(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	from, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		return err
	}
	count := map[color.Color]int{}
	b := from.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[from.At(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(count), func(a, c color.Color) int {
		r, g, u, _ := a.RGBA()
		r2, g2, u2, _ := c.RGBA()
		return cmp.Or(count[c]-count[a], cmp.Compare(r, r2), cmp.Compare(g, g2), cmp.Compare(u, u2))
	})
	palette := spread(frequent)
	nearest := map[color.Color]uint8{}
	for c := range count {
		nearest[c] = uint8(palette.Index(c))
	}
	to := image.NewPaletted(b, palette)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			to.SetColorIndex(x, y, nearest[from.At(x, y)])
		}
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, to); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o644)
}

// spread returns the first 256 colors that differ enough from the previous ones.
func spread(frequent []color.Color) (palette color.Palette) {
	const enough = 16 // the sum over red, green and blue, of 255 each
	for _, c := range frequent {
		near := func(other color.Color) bool {
			r, g, b, _ := c.RGBA()
			r2, g2, b2, _ := other.RGBA()
			distance := 0
			for _, d := range []int{int(r>>8) - int(r2>>8), int(g>>8) - int(g2>>8), int(b>>8) - int(b2>>8)} {
				distance += max(d, -d)
			}
			return distance < enough && distance > 0
		}
		if len(palette) < 24 || len(palette) < 256 && !slices.ContainsFunc(palette, near) {
			palette = append(palette, c) // the most frequent ones are backgrounds, which may be close
		}
	}
	return palette
}
