package bigquery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	bq "google.golang.org/api/bigquery/v2"
)

// Why a job's context ends.
var (
	errCanceled = &Error{Status: 499, Reason: "stopped", Message: "Job execution was cancelled: User requested cancellation"}
	errTimeout  = &Error{Status: 499, Reason: "stopped", Message: "Job execution was cancelled: Job timed out"}
)

// job is a query job. What runs it writes its fields before done is closed; others read
// them after that.
type job struct {
	id, location, user string
	config             *bq.JobConfiguration
	created            time.Time
	cancel             context.CancelCauseFunc
	done               chan struct{}

	ended    time.Time
	err      *Error
	kind     string // statement type
	fields   []*bq.TableFieldSchema
	rows     [][]any
	affected int64
	bytes    int64
	refs     []reference
	target   *table
	// undeclared are the parameters that a dry run misses.
	undeclared []string
}

func (j *job) finished() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// start begins a job.
func (s *Server) start(id, location, user string, config *bq.JobConfiguration, nulls nullParameters) (*job, *Error) {
	if config.Query == nil {
		return nil, lacking("jobs other than queries")
	}
	if err := s.admit(location, config); err != nil {
		return nil, err
	}
	nulls.mark(config.Query.QueryParameters)
	ctx, cancel := context.WithCancelCause(context.Background())
	s.mu.Lock()
	s.serial++
	if id == "" {
		id = "job_" + strconv.Itoa(s.serial)
	}
	if s.jobs[id] != nil {
		s.mu.Unlock()
		cancel(nil)
		return nil, conflict("Job %s:%s.%s", s.Project, s.location, id)
	}
	j := &job{id: id, location: location, user: user, config: config, created: time.Now(), cancel: cancel, done: make(chan struct{})}
	s.jobs[id] = j
	s.order = append(s.order, j)
	s.mu.Unlock()
	s.running.Go(func() {
		defer close(j.done)
		defer cancel(nil)
		if ms := config.JobTimeoutMs; ms > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, time.Duration(ms)*time.Millisecond, errTimeout)
			defer stop()
		}
		err := s.run(ctx, j)
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		j.ended = time.Now()
		if known, ok := errors.AsType[*Error](err); ok {
			j.err = known
		} else if err != nil {
			j.err = (&translation{}).fromDuck(err)
		}
	})
	return j, nil
}

// admit refuses what the fixture would otherwise pass over.
func (s *Server) admit(location string, config *bq.JobConfiguration) *Error {
	q := config.Query
	switch {
	case q.UseLegacySql == nil || *q.UseLegacySql:
		return lacking("legacy SQL")
	case q.DestinationTable != nil && !config.DryRun:
		return lacking("destination tables")
	case q.CreateSession || len(q.ConnectionProperties) > 0:
		return lacking("sessions")
	case len(config.Labels) > 64:
		return &Error{Status: 400, Reason: "invalid", Message: "Too many labels"}
	}
	for k, v := range config.Labels {
		if !labelPattern(k, false) || !labelPattern(v, true) {
			return &Error{Status: 400, Reason: "invalid", Message: fmt.Sprintf("Label %q: %q has an invalid key or value: at most 63 lower-case letters, digits, _ and -", k, v)}
		}
	}
	return nil
}

func labelPattern(s string, value bool) bool {
	if len([]rune(s)) > 63 || s == "" && !value {
		return false
	}
	for i, r := range s {
		lower := r >= 'a' && r <= 'z' || r > 127
		if !lower && (i == 0 && !value || !(r >= '0' && r <= '9' || r == '_' || r == '-')) {
			return false
		}
	}
	return true
}

// run executes a job's statements.
func (s *Server) run(ctx context.Context, j *job) error {
	q := j.config.Query
	plant := s.planted(q.Query, j.config.DryRun)
	if plant != nil && plant.Hold != nil {
		select {
		case <-plant.Hold:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if plant != nil && plant.Error != nil {
		return plant.Error
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	tokens, err := lex(q.Query)
	if err != nil {
		return err
	}
	nodes, err := tree(q.Query, tokens)
	if err != nil {
		return err
	}
	parts := split(nodes)
	if len(parts) == 0 {
		return invalid("Syntax error: Unexpected end of statement at [1:1]")
	}
	for _, part := range parts {
		if err := s.runOne(ctx, j, &session{conn}, part, plant, len(parts) > 1); err != nil {
			return err
		}
	}
	if len(parts) > 1 {
		j.kind = "SCRIPT"
	}
	if plant != nil && plant.StatementType != "" {
		j.kind = plant.StatementType
	}
	return nil
}

func (s *Server) runOne(ctx context.Context, j *job, session *session, part []node, plant *Plant, script bool) error {
	q := j.config.Query
	t := &translation{
		source: q.Query, project: s.Project, catalog: s.catalog, user: j.user, version: s.catalog.current(), dry: j.config.DryRun,
		named: map[string]*bq.QueryParameter{}, ctes: map[string]bool{}, words: map[string]bool{},
	}
	if q.DefaultDataset != nil {
		t.dataset = q.DefaultDataset.DatasetId
	}
	for _, p := range q.QueryParameters {
		if p.Name == "" {
			t.params = append(t.params, p)
		} else {
			t.named[strings.ToLower(p.Name)] = p
		}
	}
	st, err := t.compile(part, j.created)
	if err != nil {
		return err
	}
	if len(t.needed) > 0 {
		if err := s.materialise(ctx, session, j, t); err != nil {
			return err
		}
	}
	if err := s.locate(j, t); err != nil {
		return err
	}
	if script && j.config.DryRun { // the service does not look further into a script
		return nil
	}
	if err := session.prepare(st); err != nil {
		return err
	}
	j.kind, j.refs, j.target, j.undeclared = st.kind, t.refs, st.target, t.undeclared
	if j.bytes, err = s.weigh(ctx, session, t); err != nil {
		return err
	}
	if plant != nil && plant.Bytes > 0 {
		j.bytes = plant.Bytes
	}
	if st.kind == "SELECT" {
		if j.fields, err = session.describe(ctx, st.prepared); err != nil {
			return t.fromDuck(err)
		}
	}
	if j.config.DryRun {
		return nil
	}
	if most := q.MaximumBytesBilled; most > 0 && most < billed(j.bytes) {
		return &Error{Status: 400, Reason: "bytesBilledLimitExceeded", Message: fmt.Sprintf("Query exceeded limit for bytes billed: %d. %d or higher required.", most, billed(j.bytes))}
	}
	switch {
	case st.run != nil:
		return st.run(ctx, session)
	case st.kind == "SELECT":
		j.rows, err = session.query(ctx, st, j.fields)
		return err
	}
	r, err := session.conn.ExecContext(ctx, st.prepared)
	if err != nil {
		return t.fromDuck(err)
	}
	j.affected, err = r.RowsAffected()
	s.catalog.change(func() {})
	return err
}

// locate gives a job the location of its tables, and refuses tables that are elsewhere.
func (s *Server) locate(j *job, t *translation) error {
	homes := t.homes
	for _, r := range t.refs {
		homes = append(homes, r.dataset)
	}
	for _, home := range homes {
		at := s.catalog.locationOf(home)
		switch {
		case at == "":
		case j.location == "":
			j.location = at
		case !strings.EqualFold(j.location, at):
			return missing("Dataset %s:%s was not found in location %s", s.Project, home, j.location)
		}
	}
	if j.location == "" {
		j.location = s.location
	}
	return nil
}

const megabyte = 1 << 20

// billed rounds bytes as the service does: up to a megabyte, ten at least.
func billed(bytes int64) int64 {
	if bytes == 0 {
		return 0
	}
	return max(10*megabyte, (bytes+megabyte-1)/megabyte*megabyte)
}

// resource is a job as the API shows it.
func (s *Server) resource(j *job) *bq.Job {
	r := &bq.Job{
		Kind: "bigquery#job", Id: s.Project + ":" + j.where(s) + "." + j.id, UserEmail: j.user, Configuration: j.config,
		JobReference: &bq.JobReference{ProjectId: s.Project, JobId: j.id, Location: j.where(s)},
		Status:       &bq.JobStatus{State: "RUNNING"},
		Statistics:   &bq.JobStatistics{CreationTime: j.created.UnixMilli(), StartTime: j.created.UnixMilli()},
	}
	if r.Configuration.JobType == "" {
		r.Configuration.JobType = "QUERY"
	}
	if !j.finished() {
		return r
	}
	r.Status.State = "DONE"
	r.Statistics.EndTime = max(j.ended.UnixMilli(), r.Statistics.StartTime)
	q := &bq.JobStatistics2{StatementType: j.kind, TotalBytesProcessed: j.bytes, NumDmlAffectedRows: j.affected, ForceSendFields: []string{"TotalBytesProcessed", "CacheHit", "TotalBytesBilled"}}
	r.Statistics.TotalBytesProcessed, r.Statistics.Query = j.bytes, q
	r.Statistics.ForceSendFields = []string{"TotalBytesProcessed"}
	if !j.config.DryRun {
		q.TotalBytesBilled = billed(j.bytes)
	} else if j.kind == "SCRIPT" {
		q.TotalBytesProcessedAccuracy = "UNKNOWN"
	} else {
		q.TotalBytesProcessedAccuracy = "PRECISE"
	}
	for _, p := range j.undeclared {
		q.UndeclaredQueryParameters = append(q.UndeclaredQueryParameters, &bq.QueryParameter{Name: p, ParameterType: &bq.QueryParameterType{Type: "STRING"}})
	}
	if j.config.DryRun {
		r.Id, r.JobReference.JobId = s.Project+":"+j.where(s)+".", ""
	}
	if j.fields != nil {
		q.Schema = &bq.TableSchema{Fields: j.fields}
	}
	for _, ref := range j.refs {
		of := &bq.TableReference{ProjectId: s.Project, DatasetId: ref.dataset, TableId: ref.table}
		if !slices.ContainsFunc(q.ReferencedTables, func(o *bq.TableReference) bool {
			return o.DatasetId == of.DatasetId && o.TableId == of.TableId
		}) {
			q.ReferencedTables = append(q.ReferencedTables, of)
		}
	}
	if j.target != nil {
		q.DdlTargetTable = &bq.TableReference{ProjectId: s.Project, DatasetId: j.target.dataset, TableId: j.target.id}
	}
	if j.err != nil {
		e := &bq.ErrorProto{Reason: j.err.Reason, Message: j.err.Message}
		if e.Reason == "invalidQuery" {
			e.Location = "query"
		}
		r.Status.ErrorResult, r.Status.Errors = e, []*bq.ErrorProto{e}
	}
	return r
}

func (j *job) where(s *Server) string {
	if j.finished() && j.location != "" {
		return j.location
	}
	return s.location
}
