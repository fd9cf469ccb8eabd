package bigquery

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	bq "google.golang.org/api/bigquery/v2"
)

// nullParameters are the parameters of a body that have no value: the API's types do
// not tell a NULL from an empty text.
type nullParameters struct {
	QueryParameters []rawParameter `json:"queryParameters"`
	Configuration   struct {
		Query struct {
			QueryParameters []rawParameter `json:"queryParameters"`
		} `json:"query"`
	} `json:"configuration"`
}

type rawParameter struct {
	ParameterValue *rawValue `json:"parameterValue"`
}

type rawValue struct {
	Value        *json.RawMessage     `json:"value"`
	ArrayValues  []*rawValue          `json:"arrayValues"`
	StructValues map[string]*rawValue `json:"structValues"`
}

func (n nullParameters) mark(params []*bq.QueryParameter) {
	raw := n.QueryParameters
	if raw == nil {
		raw = n.Configuration.Query.QueryParameters
	}
	for i, p := range params {
		if i < len(raw) {
			raw[i].ParameterValue.mark(p.ParameterValue)
		}
	}
}

func (r *rawValue) mark(v *bq.QueryParameterValue) {
	if r == nil || v == nil {
		return
	}
	if r.Value == nil || string(*r.Value) == "null" {
		v.NullFields = []string{"Value"}
	}
	for i, e := range v.ArrayValues {
		r.ArrayValues[i].mark(e)
	}
	for _, k := range slices.Sorted(maps.Keys(v.StructValues)) {
		e := v.StructValues[k]
		r.StructValues[k].mark(&e)
		v.StructValues[k] = e
	}
}

// listed cuts a page of a list.
func listed[T any](c *call, all []T) (page []T, next string) {
	from, _ := strconv.Atoi(c.r.URL.Query().Get("pageToken")) // nothing is 0
	size, err := strconv.Atoi(c.r.URL.Query().Get("maxResults"))
	if err != nil || size < 1 {
		size = 1000
	}
	from = max(0, min(from, len(all)))
	end := min(from+size, len(all))
	if end < len(all) {
		next = strconv.Itoa(end)
	}
	return all[from:end], next
}

func (c *call) projects() *Error {
	c.note("catalog", Request{})
	reply(c.w, map[string]any{"kind": "bigquery#projectList", "totalItems": 1, "projects": []any{map[string]any{
		"kind": "bigquery#project", "id": c.s.Project, "projectReference": map[string]any{"projectId": c.s.Project},
	}}})
	return nil
}

func (c *call) serviceAccount() *Error {
	c.note("catalog", Request{})
	reply(c.w, map[string]any{"kind": "bigquery#getServiceAccountResponse", "email": "bq-1@bigquery-encryption.iam.gserviceaccount.com"})
	return nil
}

func (c *call) datasets() *Error {
	c.note("catalog", Request{})
	var all []*bq.DatasetListDatasets
	for _, d := range c.s.catalog.sorted() {
		if !c.s.catalog.deniedTo(c.account, d.id) {
			all = append(all, &bq.DatasetListDatasets{
				Kind: "bigquery#dataset", Id: c.s.Project + ":" + d.id, Location: d.location, Labels: d.labels,
				DatasetReference: &bq.DatasetReference{ProjectId: c.s.Project, DatasetId: d.id},
			})
		}
	}
	page, next := listed(c, all)
	reply(c.w, &bq.DatasetList{Kind: "bigquery#datasetList", Datasets: page, NextPageToken: next})
	return nil
}

// home returns the dataset of a request.
func (c *call) home(permission string) (*dataset, *Error) {
	c.note("catalog", Request{})
	id := c.r.PathValue("d")
	d := c.s.catalog.dataset(id)
	switch {
	case d == nil:
		return nil, missing("Dataset %s:%s", c.s.Project, id)
	case c.s.catalog.deniedTo(c.account, id) || !c.s.allowed(c.account, permission):
		return nil, denied("Dataset %s:%s: Permission %s denied on dataset %s:%s (or it may not exist).", c.s.Project, id, permission, c.s.Project, id)
	}
	return d, nil
}

func (c *call) dataset() *Error {
	d, err := c.home("bigquery.datasets.get")
	if err == nil {
		reply(c.w, &bq.Dataset{
			Kind: "bigquery#dataset", Id: c.s.Project + ":" + d.id, Location: d.location, Labels: d.labels, Description: d.description,
			DatasetReference: &bq.DatasetReference{ProjectId: c.s.Project, DatasetId: d.id},
			CreationTime:     d.created.UnixMilli(), LastModifiedTime: d.created.UnixMilli(), Type: "DEFAULT",
		})
	}
	return err
}

func (c *call) tables() *Error {
	d, err := c.home("bigquery.tables.list")
	if err != nil {
		return err
	}
	var all []*bq.TableListTables
	for _, t := range c.s.catalog.sortedTables(d) {
		l := &bq.TableListTables{
			Kind: "bigquery#table", Id: c.s.Project + ":" + d.id + "." + t.id, Type: t.kind, CreationTime: t.created.UnixMilli(), Labels: t.labels(),
			TableReference:   &bq.TableReference{ProjectId: c.s.Project, DatasetId: d.id, TableId: t.id},
			TimePartitioning: t.partition, RangePartitioning: t.ranges,
		}
		if len(t.clustering) > 0 {
			l.Clustering = &bq.Clustering{Fields: t.clustering}
		}
		all = append(all, l)
	}
	page, next := listed(c, all)
	reply(c.w, &bq.TableList{Kind: "bigquery#tableList", Tables: page, NextPageToken: next, TotalItems: int64(len(all)), ForceSendFields: []string{"TotalItems"}})
	return nil
}

func (t *table) labels() map[string]string {
	for _, o := range t.options {
		if o.name == "labels" {
			return o.labels
		}
	}
	return nil
}

// found returns the table of a request.
func (c *call) found(permission string) (*table, *Error) {
	d, err := c.home(permission)
	if err != nil {
		return nil, err
	}
	t := c.s.catalog.find(d.id, c.r.PathValue("t"))
	if t == nil {
		return nil, missing("Table %s:%s.%s", c.s.Project, d.id, c.r.PathValue("t"))
	}
	return t, nil
}

func (c *call) table() *Error {
	t, err := c.found("bigquery.tables.get")
	if err != nil {
		return err
	}
	r := &bq.Table{
		Kind: "bigquery#table", Id: c.s.Project + ":" + t.dataset + "." + t.id, Type: t.kind, Description: t.option("description"), Labels: t.labels(),
		TableReference: &bq.TableReference{ProjectId: c.s.Project, DatasetId: t.dataset, TableId: t.id}, Location: c.s.catalog.locationOf(t.dataset),
		Schema: &bq.TableSchema{Fields: t.fields}, TimePartitioning: t.partition, RangePartitioning: t.ranges, TableConstraints: t.constraints,
		RequirePartitionFilter: strings.EqualFold(t.option("require_partition_filter"), "true"),
		CreationTime:           t.created.UnixMilli(), LastModifiedTime: uint64(t.created.UnixMilli()), FriendlyName: t.option("friendly_name"),
	}
	if len(t.clustering) > 0 {
		r.Clustering = &bq.Clustering{Fields: t.clustering}
	}
	switch t.kind {
	case "VIEW":
		r.View = &bq.ViewDefinition{Query: t.query, ForceSendFields: []string{"UseLegacySql"}}
	case "MATERIALIZED_VIEW":
		r.MaterializedView = &bq.MaterializedViewDefinition{Query: t.query}
	}
	if t.kind != "VIEW" && t.kind != "EXTERNAL" {
		conn, e := c.s.db.Conn(c.r.Context())
		if e != nil {
			return invalid("%s", e)
		}
		defer func() { _ = conn.Close() }()
		rows, bytes, e := c.s.size(c.r.Context(), &session{conn}, t)
		if e != nil {
			return invalid("%s", e)
		}
		r.NumRows, r.NumBytes, r.NumLongTermBytes = uint64(rows), bytes, 0
		r.ForceSendFields = []string{"NumRows", "NumBytes", "NumLongTermBytes"}
	}
	reply(c.w, r)
	return nil
}

// data is tabledata.list: it reads rows without a job.
func (c *call) data() *Error {
	t, err := c.found("bigquery.tables.getData")
	if err != nil {
		return err
	}
	if t.kind == "VIEW" {
		return &Error{Status: 400, Reason: "invalid", Message: "Cannot list a table of type VIEW."}
	}
	q := c.r.URL.Query()
	token := q.Get("pageToken")
	if token == "" {
		token = q.Get("startIndex")
	}
	from, _ := strconv.ParseInt(token, 10, 64) // nothing is 0
	size, e := strconv.ParseInt(q.Get("maxResults"), 10, 64)
	if e != nil || size > int64(c.s.pageSize) {
		size = int64(c.s.pageSize)
	}
	conn, e := c.s.db.Conn(c.r.Context())
	if e != nil {
		return invalid("%s", e)
	}
	defer func() { _ = conn.Close() }()
	st := &statement{t: &translation{}, prepared: "SELECT * FROM " + identifier(t.dataset) + "." + identifier(t.id)}
	all, e := (&session{conn}).query(c.r.Context(), st, t.fields)
	if e != nil {
		return invalid("%s", e)
	}
	answer := map[string]any{"kind": "bigquery#tableDataList", "totalRows": strconv.Itoa(len(all))}
	if err := paged(answer, t.fields, all, from, size, q.Get("formatOptions.useInt64Timestamp") == "true"); err != nil {
		return err
	}
	reply(c.w, answer)
	return nil
}

// permissions is testIamPermissions of a project or a table.
func (c *call) permissions() *Error {
	c.note("catalog", Request{})
	if !strings.HasSuffix(c.r.URL.Path, ":testIamPermissions") {
		return lacking("%s %s", c.r.Method, c.r.URL.Path)
	}
	var b struct {
		Permissions []string `json:"permissions"`
	}
	if _, err := c.read(&b); err != nil {
		return err
	}
	held := slices.DeleteFunc(b.Permissions, func(p string) bool { return !c.s.allowed(c.account, p) })
	reply(c.w, map[string]any{"permissions": held})
	return nil
}

// routines: the fixture has none.
func (c *call) routines() *Error {
	if _, err := c.home("bigquery.datasets.get"); err != nil {
		return err
	}
	reply(c.w, map[string]any{"routines": []any{}})
	return nil
}

func (c *call) routine() *Error {
	if _, err := c.home("bigquery.datasets.get"); err != nil {
		return err
	}
	return missing("Routine %s:%s.%s", c.s.Project, c.r.PathValue("d"), c.r.PathValue("routine"))
}
