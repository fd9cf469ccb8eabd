package bigquery

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	bq "google.golang.org/api/bigquery/v2"
)

// call is a request to the API, of an account.
type call struct {
	s       *Server
	w       http.ResponseWriter
	r       *http.Request
	account string
}

// handler routes the endpoints that clients use; any other is refused.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, base := range []string{"", "/bigquery/v2"} {
		p := base + "/projects/{p}"
		for pattern, handle := range map[string]func(*call) *Error{
			"POST " + p + "/jobs":                            (*call).insert,
			"GET " + p + "/jobs":                             (*call).list,
			"GET " + p + "/jobs/{id}":                        (*call).get,
			"POST " + p + "/jobs/{id}/cancel":                (*call).cancel,
			"POST " + p + "/queries":                         (*call).query,
			"GET " + p + "/queries/{id}":                     (*call).results,
			"GET " + p + "/datasets":                         (*call).datasets,
			"GET " + p + "/datasets/{d}":                     (*call).dataset,
			"GET " + p + "/datasets/{d}/tables":              (*call).tables,
			"GET " + p + "/datasets/{d}/tables/{t}":          (*call).table,
			"GET " + p + "/datasets/{d}/tables/{t}/data":     (*call).data,
			"POST " + p + "/datasets/{d}/tables/{t}":         (*call).permissions, // {t}:testIamPermissions
			"GET " + base + "/projects":                      (*call).projects,
			"GET " + p + "/serviceAccount":                   (*call).serviceAccount,
			"GET " + p + "/datasets/{d}/routines":            (*call).routines,
			"GET " + p + "/datasets/{d}/routines/{routine}":  (*call).routine,
			"POST " + p + "/datasets/{d}/routines/{routine}": (*call).permissions,
		} {
			mux.HandleFunc(pattern, s.authorised(handle))
		}
	}
	for _, version := range []string{"/v1", "/v3"} {
		mux.HandleFunc("POST "+version+"/projects/{p}", s.authorised((*call).permissions)) // {p}:testIamPermissions
	}
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /v1/projects/-/serviceAccounts/{account}", s.impersonate)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.record(Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Kind: "unknown"})
		lacking("%s %s", r.Method, r.URL.Path).write(w)
	})
	return mux
}

// authorised lets a request through whose token is good and whose project is the server's.
func (s *Server) authorised(handle func(*call) *Error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.identity.date(w)
		account, err := s.account(r)
		c := &call{s: s, w: w, r: r, account: account}
		if p := strings.TrimSuffix(r.PathValue("p"), ":testIamPermissions"); err == nil && p != "" && p != s.Project {
			err = denied("Project %s: User does not have bigquery.jobs.create permission in project %s.", p, p)
			if r.Method == http.MethodGet {
				err = missing("Project %s", p)
			}
		}
		if err != nil {
			s.record(Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Account: account, Kind: "refused"})
			err.write(w)
			return
		}
		if err := handle(c); err != nil {
			err.write(w)
		}
	}
}

func (s *Server) record(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, r)
}

// note puts a request in the log.
func (c *call) note(kind string, r Request) {
	r.Method, r.Path, r.Query, r.Account, r.Kind = c.r.Method, c.r.URL.Path, c.r.URL.RawQuery, c.account, kind
	c.s.record(r)
}

func noteOf(config *bq.JobConfiguration, location, id string) (string, Request) {
	r := Request{Location: location, Labels: config.Labels, Job: id, JobTimeoutMs: config.JobTimeoutMs}
	if config.Query != nil {
		r.Statement, r.MaximumBytesBilled = config.Query.Query, config.Query.MaximumBytesBilled
	}
	if config.DryRun {
		return "dry_run", r
	}
	return "query", r
}

// read decodes a body, and what of its parameters is NULL.
func (c *call) read(into any) (nullParameters, *Error) {
	body, err := io.ReadAll(c.r.Body)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil {
		return nullParameters{}, &Error{Status: 400, Reason: "parseError", Message: "Parse Error: " + err.Error()}
	}
	var nulls nullParameters
	_ = json.Unmarshal(body, &nulls) // it was read above
	return nulls, nil
}

func (c *call) insert() *Error {
	var b bq.Job
	nulls, err := c.read(&b)
	if err != nil {
		return err
	}
	if b.Configuration == nil {
		return &Error{Status: 400, Reason: "required", Message: "Required parameter is missing: configuration"}
	}
	id, location := "", ""
	if b.JobReference != nil {
		id, location = b.JobReference.JobId, b.JobReference.Location
	}
	c.note(noteOf(b.Configuration, location, id))
	if err := c.mayQuery(); err != nil {
		return err
	}
	j, err := c.s.start(id, location, c.account, b.Configuration, nulls)
	if err != nil {
		return err
	}
	if b.Configuration.DryRun {
		<-j.done
		c.s.forget(j)
		if j.err != nil {
			return j.err
		}
	}
	reply(c.w, c.s.resource(j))
	return nil
}

func (c *call) mayQuery() *Error {
	if !c.s.allowed(c.account, "bigquery.jobs.create") {
		return denied("Project %s: User does not have bigquery.jobs.create permission in project %s.", c.s.Project, c.s.Project)
	}
	return nil
}

// forget takes a dry run away: it makes no job.
func (s *Server) forget(j *job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, j.id)
	s.order = slices.DeleteFunc(s.order, func(o *job) bool { return o == j })
}

// query is jobs.query: it waits for a while and answers with the first rows.
func (c *call) query() *Error {
	var b bq.QueryRequest
	nulls, err := c.read(&b)
	if err != nil {
		return err
	}
	config := &bq.JobConfiguration{DryRun: b.DryRun, Labels: b.Labels, JobTimeoutMs: b.JobTimeoutMs, Query: &bq.JobConfigurationQuery{
		Query: b.Query, UseLegacySql: b.UseLegacySql, MaximumBytesBilled: b.MaximumBytesBilled, DefaultDataset: b.DefaultDataset,
		QueryParameters: b.QueryParameters, ParameterMode: b.ParameterMode, CreateSession: b.CreateSession, ConnectionProperties: b.ConnectionProperties,
	}}
	c.note(noteOf(config, b.Location, ""))
	if err := c.mayQuery(); err != nil {
		return err
	}
	j, err := c.s.start("", b.Location, c.account, config, nulls)
	if err != nil {
		return err
	}
	if b.DryRun {
		<-j.done
		c.s.forget(j)
	}
	wait := 10 * time.Second
	if b.TimeoutMs > 0 {
		wait = time.Duration(b.TimeoutMs) * time.Millisecond
	}
	size := int64(c.s.pageSize)
	if b.MaxResults > 0 {
		size = min(size, b.MaxResults)
	}
	return c.page(j, wait, 0, size, b.FormatOptions != nil && b.FormatOptions.UseInt64Timestamp)
}

func (c *call) job() (*job, *Error) {
	c.s.mu.Lock()
	j := c.s.jobs[c.r.PathValue("id")]
	c.s.mu.Unlock()
	location := c.r.URL.Query().Get("location")
	// A job outside of the US and the EU is found only by its location.
	if j == nil || location != "" && !strings.EqualFold(location, j.where(c.s)) || location == "" && !slices.Contains([]string{"US", "EU"}, strings.ToUpper(j.where(c.s))) {
		return nil, missing("Job %s:%s", c.s.Project, c.r.PathValue("id"))
	}
	if j.user != c.account && !c.s.allowed(c.account, "bigquery.jobs.update") {
		return nil, denied("Job %s:%s.%s: User does not have permission to access the job", c.s.Project, j.where(c.s), j.id)
	}
	return j, nil
}

func (c *call) get() *Error {
	c.note("job", Request{Job: c.r.PathValue("id")})
	j, err := c.job()
	if err == nil {
		reply(c.w, c.s.resource(j))
	}
	return err
}

func (c *call) cancel() *Error {
	c.note("cancel", Request{Job: c.r.PathValue("id")})
	j, err := c.job()
	if err != nil {
		return err
	}
	j.cancel(errCanceled)
	reply(c.w, map[string]any{"kind": "bigquery#jobCancelResponse", "job": c.s.resource(j)})
	return nil
}

// results is jobs.getQueryResults.
func (c *call) results() *Error {
	c.note("results", Request{Job: c.r.PathValue("id")})
	j, err := c.job()
	if err != nil {
		return err
	}
	q := c.r.URL.Query()
	from, size := int64(0), int64(c.s.pageSize)
	for key, into := range map[string]*int64{"startIndex": &from, "pageToken": &from} {
		if v := q.Get(key); v != "" {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n < 0 {
				return &Error{Status: 400, Reason: "invalid", Message: "Invalid value for " + key + ": " + v}
			}
			*into = n
		}
	}
	if v := q.Get("maxResults"); v != "" {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil && n < size {
			size = n
		}
	}
	wait := 10 * time.Second
	if ms, err := strconv.Atoi(q.Get("timeoutMs")); err == nil && q.Get("timeoutMs") != "" {
		wait = time.Duration(ms) * time.Millisecond
	}
	return c.page(j, wait, from, size, q.Get("formatOptions.useInt64Timestamp") == "true")
}

// page waits for a job and answers with rows of it.
func (c *call) page(j *job, wait time.Duration, from, size int64, micros bool) *Error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-j.done:
	case <-c.r.Context().Done():
		return nil
	case <-timer.C:
		reply(c.w, map[string]any{"kind": "bigquery#getQueryResultsResponse", "jobComplete": false, "jobReference": c.s.resource(j).JobReference})
		return nil
	}
	if j.err != nil {
		return j.err
	}
	answer := map[string]any{
		"kind": "bigquery#getQueryResultsResponse", "jobComplete": true, "cacheHit": false, "jobReference": c.s.resource(j).JobReference,
		"totalBytesProcessed": strconv.FormatInt(j.bytes, 10),
	}
	if j.fields != nil {
		answer["schema"] = &bq.TableSchema{Fields: j.fields}
		answer["totalRows"] = strconv.Itoa(len(j.rows))
	}
	if j.kind == "INSERT" || j.kind == "UPDATE" || j.kind == "DELETE" || j.kind == "MERGE" {
		answer["numDmlAffectedRows"] = strconv.FormatInt(j.affected, 10)
	}
	if err := paged(answer, j.fields, j.rows, from, size, micros); err != nil {
		return err
	}
	reply(c.w, answer)
	return nil
}

// paged adds rows to an answer, and where the next ones begin.
func paged(answer map[string]any, fields []*bq.TableFieldSchema, all [][]any, from, size int64, micros bool) *Error {
	from = min(from, int64(len(all)))
	end := min(from+size, int64(len(all)))
	rows := make([]row, 0, end-from)
	for _, values := range all[from:end] {
		r := row{F: make([]cell, len(values))}
		for i, v := range values {
			x, err := encode(fields[i], v, micros)
			if known, ok := err.(*Error); ok {
				return known
			} else if err != nil {
				return invalid("%s", err)
			}
			r.F[i] = cell{x}
		}
		rows = append(rows, r)
	}
	if answer["rows"] = rows; end < int64(len(all)) {
		answer["pageToken"] = strconv.FormatInt(end, 10)
	}
	return nil
}

// list is jobs.list, the newest first.
func (c *call) list() *Error {
	c.note("jobs", Request{})
	q := c.r.URL.Query()
	all := q.Get("allUsers") == "true"
	if all && !c.s.allowed(c.account, "bigquery.jobs.listAll") {
		return denied("Project %s: User does not have bigquery.jobs.listAll permission in project %s.", c.s.Project, c.s.Project)
	}
	least, _ := strconv.ParseInt(q.Get("minCreationTime"), 10, 64) // nothing is 0
	most, _ := strconv.ParseInt(q.Get("maxCreationTime"), 10, 64)
	from, _ := strconv.Atoi(q.Get("pageToken"))
	size, err := strconv.Atoi(q.Get("maxResults"))
	if err != nil {
		size = 50
	}
	var jobs []*bq.JobListJobs
	c.s.mu.Lock()
	order := slices.Clone(c.s.order)
	c.s.mu.Unlock()
	slices.Reverse(order)
	for _, j := range order {
		r := c.s.resource(j)
		created := r.Statistics.CreationTime
		state := strings.ToLower(r.Status.State)
		if !all && j.user != c.account || created < least || most > 0 && created > most || q.Has("stateFilter") && !slices.Contains(q["stateFilter"], state) {
			continue
		}
		l := &bq.JobListJobs{
			Kind: r.Kind, Id: r.Id, JobReference: r.JobReference, State: r.Status.State, Status: r.Status, ErrorResult: r.Status.ErrorResult,
			UserEmail: r.UserEmail, Statistics: r.Statistics,
		}
		if q.Get("projection") == "full" {
			l.Configuration = r.Configuration
		}
		jobs = append(jobs, l)
	}
	from = min(from, len(jobs))
	end := min(from+size, len(jobs))
	answer := map[string]any{"kind": "bigquery#jobList", "jobs": jobs[from:end]}
	if end < len(jobs) {
		answer["nextPageToken"] = strconv.Itoa(end)
	}
	reply(c.w, answer)
	return nil
}
