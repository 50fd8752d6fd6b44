package message

import (
	"net/url"
	"strings"
)

// portal builds addresses of the portal, the only links in a message. The zero value
// builds none. Opening an address never triggers an action: the portal asks for
// confirmation.
type portal struct{ root string }

// newPortal returns a portal without links if the address is not an HTTP URL.
func newPortal(root string) portal {
	u, err := url.Parse(root)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return portal{}
	}
	return portal{strings.TrimRight(u.String(), "/")}
}

// page returns the address of a page, with pairs of parameters. Empty parameters are
// omitted.
func (p portal) page(path string, parameters ...string) string {
	if p.root == "" {
		return ""
	}
	address, separator := p.root+path, "?"
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			address += separator + parameters[i] + "=" + url.QueryEscape(parameters[i+1])
			separator = "&"
		}
	}
	return address
}

// job returns the address of a page of a job. Without cluster or UID it returns the list
// of jobs.
func (p portal) job(j Job, page string, parameters ...string) string {
	cluster, uid := segment(or(j.Cluster, j.ClusterUID)), segment(j.UID)
	if cluster == "" || uid == "" {
		return p.page("/jobs")
	}
	return p.page("/jobs/"+cluster+"/"+uid+page, parameters...)
}

// unsubscribe returns the address that stops messages by a token.
func (p portal) unsubscribe(token string) string {
	if token == "" {
		return ""
	}
	return p.page("/auth/unsubscribe/" + segment(token))
}

// segment escapes a name as one segment of a path. It returns "" for a name that would
// change the path.
func segment(name string) string {
	if strings.Trim(name, ".") == "" {
		return ""
	}
	return url.PathEscape(name)
}
