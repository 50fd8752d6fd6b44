package dropin_test

import (
	"bufio"
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"

	"k8s.io/client-go/kubernetes"
)

// requests counts the responses of the API server.
type requests struct {
	All, Lists, Watches, Writes, Conflicts int
}

var (
	requestLine = regexp.MustCompile(`^apiserver_request_total\{(.*)\} (\S+)$`)
	label       = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// countRequests reads the counters of the API server.
func countRequests(ctx context.Context, client kubernetes.Interface) (r requests, err error) {
	text, err := client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return r, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := requestLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		n, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			return r, err
		}
		r.add(m[1], int(n))
	}
	return r, lines.Err()
}

func (r *requests) add(labels string, n int) {
	of := map[string]string{}
	for _, l := range label.FindAllStringSubmatch(labels, -1) {
		of[l[1]] = l[2]
	}
	r.All += n
	switch verb := of["verb"]; {
	case verb == "LIST":
		r.Lists += n
	case verb == "WATCH":
		r.Watches += n
	case strings.Contains("POST PUT PATCH DELETE APPLY DELETECOLLECTION", verb):
		r.Writes += n
	}
	if of["code"] == "409" {
		r.Conflicts += n
	}
}
