package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"
	"unicode"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/vedette-io/vedette/platform/send/export"
)

// Store is an export.Store in a bucket.
type Store struct {
	client         *minio.Client
	idle           func() // closes idle connections
	bucket, prefix string
}

var _ export.Store = (*Store)(nil)

// awsEndpoint is the server that is used without the parameter endpoint.
const awsEndpoint = "https://s3.amazonaws.com"

// Parse returns the store of a URL: s3://BUCKET/FOLDER?endpoint=https://HOST:PORT&region=REGION.
// The folder and the parameters may be absent. Without an endpoint, the bucket is in Amazon S3; the
// region then comes from AWS_REGION or is looked up. Parse does not connect.
//
// Errors: the URL is invalid, or has a user.
func Parse(text string) (*Store, error) {
	const want = "want s3://BUCKET/FOLDER?endpoint=https://HOST"
	rest, ok := strings.CutPrefix(text, "s3://")
	if !ok {
		return nil, errors.New("the destination is not in S3: " + want)
	}
	rest, query, _ := strings.Cut(rest, "?")
	bucket, prefix, _ := strings.Cut(rest, "/")
	if strings.Contains(bucket, "@") {
		return nil, errors.New("the destination has a user: put the keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or into ~/.aws/credentials")
	}
	if bucket == "" || strings.Trim(bucket, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
		return nil, fmt.Errorf("the bucket is %q: %s", bucket, want)
	}
	if clean := strings.TrimSuffix(prefix, "/"); prefix != "" && (path.Clean("/"+clean) != "/"+clean || strings.ContainsFunc(clean, unicode.IsControl)) {
		return nil, fmt.Errorf("the folder in the bucket is %q: want names with slashes between them", prefix)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("the parameters of the destination are invalid: want name=value&name=value")
	}
	for name := range values {
		if name != "endpoint" && name != "region" {
			return nil, fmt.Errorf("the parameter %q of the destination is unknown: want endpoint or region", name)
		}
	}
	endpoint, err := url.Parse(cmp.Or(values.Get("endpoint"), awsEndpoint))
	if err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Hostname() == "" || endpoint.User != nil || strings.Trim(endpoint.Path, "/") != "" || endpoint.RawQuery != "" {
		return nil, errors.New("the endpoint is not the URL of a server: want https://HOST:PORT")
	}
	secure := endpoint.Scheme == "https"
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, fmt.Errorf("S3 at %s: %w", endpoint.Host, err)
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Secure: secure, Transport: transport, Region: cmp.Or(values.Get("region"), os.Getenv("AWS_REGION")), Creds: logins(),
	})
	if err != nil {
		return nil, fmt.Errorf("S3 at %s: %w", endpoint.Host, err)
	}
	return &Store{client: client, idle: transport.CloseIdleConnections, bucket: bucket, prefix: strings.Trim(prefix, "/")}, nil
}

// Close closes the connections. The store must not be in use.
func (s *Store) Close() { s.idle() }

// logins looks for keys in the environment, then in the file of AWS tools, then on the machine.
func logins() *credentials.Credentials {
	return credentials.NewChainCredentials([]credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{}})
}

// String returns the URL of the folder, without parameters.
func (s *Store) String() string { return "s3://" + path.Join(s.bucket, s.prefix) }

func (s *Store) object(name string) string { return path.Join(s.prefix, name) }

// Create begins a file, in a temporary file of this machine.
func (s *Store) Create(_ context.Context, name string) (export.Writer, error) {
	file, err := os.CreateTemp("", "vedette-export-*")
	if err != nil {
		return nil, err
	}
	return &writer{File: file, store: s, name: name}, nil
}

// Open opens a file. It reads only the parts that are asked for.
func (s *Store) Open(ctx context.Context, name string) (export.Reader, error) {
	o, err := s.client.GetObject(ctx, s.bucket, s.object(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, s.explain(name, err)
	}
	info, err := o.Stat()
	if err != nil {
		_ = o.Close() // the error of Stat says more
		return nil, s.explain(name, err)
	}
	return reader{o, info.Size}, nil
}

// explain returns an error with the name of a file.
func (s *Store) explain(name string, err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		err = fs.ErrNotExist
	}
	return fmt.Errorf("%s in %s: %w", name, s, err)
}

type reader struct {
	*minio.Object
	size int64
}

func (r reader) Size() int64 { return r.size }

type writer struct {
	*os.File
	store *Store
	name  string
}

// Commit uploads the file.
func (w *writer) Commit(ctx context.Context) error {
	size, err := w.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = w.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	_, err = w.store.client.PutObject(ctx, w.store.bucket, w.store.object(w.name), w.File, size, minio.PutObjectOptions{ContentType: "application/vnd.apache.parquet"})
	w.Discard()
	if err != nil {
		return w.store.explain(w.name, err)
	}
	return nil
}

// Discard removes the temporary file.
func (w *writer) Discard() {
	_ = w.Close() // an error means that it is closed
	_ = os.Remove(w.Name())
}
