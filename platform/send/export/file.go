package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
)

// Limits of a row group, which is in memory while it is written.
const (
	groupRows = 100_000
	groupText = 16 << 20
)

// rowWriter writes the Parquet file of a day.
type rowWriter struct {
	file Writer
	rows *parquet.GenericWriter[Row]
	n    int64 // rows
	held int   // rows of the row group
	text int   // bytes of the texts of the row group
}

func newRowWriter(file Writer, exported time.Time) *rowWriter {
	return &rowWriter{file: file, rows: parquet.NewGenericWriter[Row](
		file, parquet.Compression(&zstd.Codec{}), parquet.CreatedBy("vedette", "1", ""), parquet.KeyValueMetadata(exportedKey, exported.UTC().Format(time.RFC3339)),
	)}
}

func (w *rowWriter) add(r Row) error {
	if _, err := w.rows.Write([]Row{r}); err != nil {
		return err
	}
	w.n++
	w.held++
	if w.text += r.textSize(); w.held < groupRows && w.text < groupText {
		return nil
	}
	w.held, w.text = 0, 0
	return w.rows.Flush()
}

// inspect returns when a file was exported, and its number of rows. It returns the zero time for
// a file that does not exist.
//
// Errors: the file was not written by this package.
func inspect(ctx context.Context, s Store, name string) (exported time.Time, rows int64, err error) {
	r, err := s.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, 0, nil
	}
	if err != nil {
		return time.Time{}, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f, err := parquet.OpenFile(r, r.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return time.Time{}, 0, fmt.Errorf("%s in %s is not a Parquet file: %w", name, s, err)
	}
	text, _ := f.Lookup(exportedKey)
	if exported, err = time.Parse(time.RFC3339, text); err != nil {
		return time.Time{}, 0, fmt.Errorf("%s in %s is not an export of Vedette: move it away", name, s)
	}
	return exported, f.NumRows(), nil
}
