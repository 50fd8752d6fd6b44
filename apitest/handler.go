package apitest

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	internalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// anonymous is the user of all requests to a server without tokens.
const anonymous = "anonymous"

// serve handles every request: it parses, logs, authenticates and authorizes it, applies a fault, and answers it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.work.Add(1)
	defer s.work.Done()
	if conn, known := r.Context().Value(connKey{}).(net.Conn); known && r.ProtoMajor == 2 {
		w = sharedWriter{w, conn}
	}
	c := s.parseRequest(r)
	user, known := s.authenticate(r)
	c.User = user
	denied := s.impersonate(c, r)
	s.logMu.Lock()
	s.log.add(c.Request)
	s.logMu.Unlock()
	if !known {
		s.fail(w, c, apierrors.NewUnauthorized("Unauthorized"))
		return
	}
	if denied != nil {
		s.fail(w, c, denied)
		return
	}
	if s.injectFault(w, c) {
		return
	}
	if c.Verb == VerbOther {
		s.serveOther(w, c)
		return
	}
	if isReview(c) {
		s.serveReview(w, c)
		return
	}
	if err := s.prepare(c); err != nil {
		s.fail(w, c, err)
		return
	}
	s.dispatch(w, c)
}

// parseRequest reads the path and the query. It rejects nothing, so that the log has every request.
func (s *Server) parseRequest(r *http.Request) *call {
	c := &call{handler: r}
	query := r.URL.Query()
	request, isResource := parsePath(r.URL.Path)
	c.Request = request
	c.Verb = VerbOther
	c.Time, c.Path, c.Accept = time.Now(), r.URL.Path, r.Header.Get("Accept")
	if !isResource {
		return c
	}
	c.Options = optionsOf(query)
	if verb, ok := verbOf(r.Method, c.Name, c.Options.Watch); ok {
		c.Verb = verb
	}
	s.mu.Lock()
	c.table = s.tables[c.Resource]
	s.mu.Unlock()
	return c
}

// optionsOf reads the query of a list for the log; prepare rejects invalid values later.
func optionsOf(query url.Values) metav1.ListOptions {
	var o metav1.ListOptions
	if err := metav1.Convert_url_Values_To_v1_ListOptions(&query, &o, nil); err != nil {
		return metav1.ListOptions{}
	}
	return o
}

// authenticate returns the user of the bearer token. known is false if the server has tokens and this one is not among
// them.
func (s *Server) authenticate(r *http.Request) (user string, known bool) {
	if len(s.cfg.Tokens) == 0 {
		return anonymous, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return anonymous, false
	}
	user, known = s.cfg.Tokens[strings.TrimSpace(token)]
	return user, known
}

// prepare makes the checks that do not depend on the verb: the type, authorization, the selectors, the encoding.
func (s *Server) prepare(c *call) error {
	gr := c.Resource.GroupResource()
	if s.cfg.Authorize != nil {
		if err := s.cfg.Authorize(c.Request); err != nil {
			if status := apierrors.APIStatus(nil); errors.As(err, &status) {
				return err
			}
			return apierrors.NewForbidden(gr, c.Name, err)
		}
	}
	if c.table == nil {
		return errNotFound
	}
	res := c.table.res
	misplaced := !res.Namespaced && c.Namespace != "" || res.Namespaced && c.Namespace == "" && c.Name != ""
	if misplaced || !res.hasSubresource(c.Subresource) {
		return errNotFound
	}
	if res.Namespaced && c.Namespace == "" && (c.Verb == VerbCreate || c.Verb == VerbDeleteCollection) {
		return apierrors.NewMethodNotSupported(gr, string(c.Verb))
	}
	if c.Subresource != "" && c.Verb != VerbGet && c.Verb != VerbUpdate && c.Verb != VerbPatch {
		return apierrors.NewMethodNotSupported(gr, string(c.Verb))
	}
	if c.Subresource == logSubresource {
		if c.Verb != VerbGet {
			return apierrors.NewMethodNotSupported(gr, string(c.Verb))
		}
		return nil // a log is text, whatever the client accepts
	}
	enc, ok := offerOf(res, c.Verb, s.cfg.CBOR).accept(c.Accept)
	if !ok {
		return notAcceptable()
	}
	if enc.part == printed {
		include, err := includeOf(c.handler.URL.Query().Get("includeObject"))
		if err != nil {
			return err
		}
		enc.printer = printer{s.cfg.Now, include}
	}
	c.enc, c.cbor = enc, s.cfg.CBOR == CBORServed
	c.admit = func(obj metav1.Object) error { return s.admit(c, obj) }
	if c.Verb == VerbCreate {
		return s.checkNamespace(c)
	}
	if c.Verb == VerbList || c.Verb == VerbWatch || c.Verb == VerbDeleteCollection {
		return s.prepareList(c)
	}
	return nil
}

// admit lets Config.Admit change or reject an object.
func (s *Server) admit(c *call, obj metav1.Object) error {
	if s.cfg.Admit == nil || c.Subresource != "" {
		return nil
	}
	err := s.cfg.Admit(c.Request, obj)
	if status := apierrors.APIStatus(nil); err == nil || errors.As(err, &status) {
		return err
	}
	return apierrors.NewForbidden(c.Resource.GroupResource(), obj.GetName(), err)
}

// prepareList reads and checks the options of a collection.
func (s *Server) prepareList(c *call) error {
	c.list = &internalversion.ListOptions{}
	query := c.handler.URL.Query()
	if err := internalscheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, c.list); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	streaming := s.cfg.StreamingLists == StreamingSupported
	if problems := validation.ValidateListOptions(c.list, streaming); len(problems) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", problems)
	}
	choice, err := newSelection(c.table.res, c.Namespace, c.list)
	if err == nil && s.cfg.ShardSelectors {
		choice.shard, err = parseShardSelector(query.Get("shardSelector"))
	}
	c.choice = choice
	return err
}

// dispatch calls the handler of a request's verb.
func (s *Server) dispatch(w http.ResponseWriter, c *call) {
	switch c.Subresource {
	case scaleSubresource:
		s.serveScale(w, c)
		return
	case logSubresource:
		s.serveLog(w, c)
		return
	}
	switch c.Verb {
	case VerbWatch:
		s.serveWatch(w, c)
	case VerbList:
		s.serveList(w, c)
	case VerbGet:
		rev, err := s.find(c.table, keyOf(c.Namespace, c.Name))
		s.respond(w, c, http.StatusOK, rev, err)
	case VerbCreate:
		rev, err := s.serveCreate(c)
		s.respond(w, c, http.StatusCreated, rev, err)
	case VerbUpdate:
		rev, created, err := s.serveUpdate(c)
		s.respond(w, c, codeOf(created), rev, err)
	case VerbPatch:
		rev, created, err := s.servePatch(c)
		s.respond(w, c, codeOf(created), rev, err)
	case VerbDelete:
		s.serveDelete(w, c)
	case VerbDeleteCollection:
		s.serveDeleteCollection(w, c)
	case VerbOther:
		s.fail(w, c, errNotFound)
	}
}

// codeOf returns the status of a write that may have created its object.
func codeOf(created bool) int {
	if created {
		return http.StatusCreated
	}
	return http.StatusOK
}
