package s3_test

import (
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/send/export/s3"
)

// TestParse checks URLs of buckets, and that no error shows a login.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"s3://jobs":             "s3://jobs",
		"s3://jobs/a/b/":        "s3://jobs/a/b",
		"s3://jobs/a?region=eu": "s3://jobs/a",
		"s3://jobs?endpoint=http://127.0.0.1:9000/": "s3://jobs",

		"nats://jobs":                          "the destination is not in S3",
		"s3://":                                `the bucket is ""`,
		"s3://Jobs":                            `the bucket is "Jobs"`,
		"s3://key:geheim@jobs":                 "the destination has a user",
		"s3://jobs/../x":                       `the folder in the bucket is "../x"`,
		"s3://jobs//x":                         `the folder in the bucket is "/x"`,
		"s3://jobs/a/./x":                      `the folder in the bucket is "a/./x"`,
		"s3://jobs/a\x1bb":                     "the folder in the bucket is",
		"s3://jobs?secret=geheim":              `the parameter "secret" of the destination is unknown`,
		"s3://jobs?%zz":                        "the parameters of the destination are invalid",
		"s3://jobs?endpoint=ftp://h":           "the endpoint is not the URL of a server",
		"s3://jobs?endpoint=h:9000":            "the endpoint is not the URL of a server",
		"s3://jobs?endpoint=http://h/path":     "the endpoint is not the URL of a server",
		"s3://jobs?endpoint=http://a:geheim@h": "the endpoint is not the URL of a server",
	} {
		s, err := s3.Parse(text)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = s.String()
			s.Close()
		}
		if !strings.HasPrefix(got, want) || err == nil && got != want || strings.Contains(got, "geheim") {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
