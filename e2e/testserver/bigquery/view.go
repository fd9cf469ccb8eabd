package bigquery

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/duckdb/duckdb-go/v2"
)

// view is one of INFORMATION_SCHEMA: its columns as DuckDB declares them and its rows.
// Source: https://cloud.google.com/bigquery/docs/information-schema-intro.
type view struct {
	columns string
	where   string // the column that has the dataset; "" = the view has none
	// dataset and region are the qualifiers that it takes.
	dataset, region bool
	rows            func(*snapshot) [][]any
	live            bool // made anew for every query
}

const tableColumns = "table_catalog VARCHAR, table_schema VARCHAR, table_name VARCHAR, "

const constraintColumns = "constraint_catalog VARCHAR, constraint_schema VARCHAR, constraint_name VARCHAR, "

const jobColumns = `creation_time TIMESTAMPTZ, project_id VARCHAR, user_email VARCHAR, job_id VARCHAR, job_type VARCHAR, statement_type VARCHAR,
	priority VARCHAR, start_time TIMESTAMPTZ, end_time TIMESTAMPTZ, query VARCHAR, state VARCHAR, total_bytes_processed BIGINT, total_bytes_billed BIGINT,
	cache_hit BOOLEAN, error_result STRUCT(reason VARCHAR, message VARCHAR), referenced_tables STRUCT(project_id VARCHAR, dataset_id VARCHAR, table_id VARCHAR)[],
	labels STRUCT("key" VARCHAR, "value" VARCHAR)[]`

// schemaViews returns the views by name.
func schemaViews() map[string]view {
	jobs := view{columns: jobColumns, region: true, live: true}
	return map[string]view{
		"SCHEMATA": {
			columns: "catalog_name VARCHAR, schema_name VARCHAR, schema_owner VARCHAR, creation_time TIMESTAMPTZ, last_modified_time TIMESTAMPTZ, location VARCHAR, ddl VARCHAR, default_collation_name VARCHAR",
			where:   "schema_name", region: true, rows: (*snapshot).schemata,
		},
		"TABLES": {
			columns: tableColumns + "table_type VARCHAR, managed_table_type VARCHAR, is_insertable_into VARCHAR, is_typed VARCHAR, is_change_history_enabled VARCHAR, creation_time TIMESTAMPTZ, ddl VARCHAR, default_collation_name VARCHAR",
			where:   "table_schema", dataset: true, region: true, rows: (*snapshot).tables,
		},
		"COLUMNS": {
			columns: tableColumns + "column_name VARCHAR, ordinal_position BIGINT, is_nullable VARCHAR, data_type VARCHAR, is_generated VARCHAR, generation_expression VARCHAR, is_stored VARCHAR, is_hidden VARCHAR, is_updatable VARCHAR, is_system_defined VARCHAR, is_partitioning_column VARCHAR, clustering_ordinal_position BIGINT, collation_name VARCHAR, column_default VARCHAR, rounding_mode VARCHAR",
			where:   "table_schema", dataset: true, region: true, rows: (*snapshot).columns,
		},
		"COLUMN_FIELD_PATHS": {
			columns: tableColumns + "column_name VARCHAR, field_path VARCHAR, data_type VARCHAR, description VARCHAR, collation_name VARCHAR, rounding_mode VARCHAR",
			where:   "table_schema", dataset: true, region: true, rows: (*snapshot).fieldPaths,
		},
		"TABLE_OPTIONS": {
			columns: tableColumns + "option_name VARCHAR, option_type VARCHAR, option_value VARCHAR",
			where:   "table_schema", dataset: true, region: true, rows: (*snapshot).tableOptions,
		},
		"VIEWS": {
			columns: tableColumns + "view_definition VARCHAR, check_option VARCHAR, use_standard_sql VARCHAR",
			where:   "table_schema", dataset: true, region: true, rows: (*snapshot).viewDefinitions,
		},
		"PARTITIONS": {
			columns: tableColumns + "partition_id VARCHAR, total_rows BIGINT, total_logical_bytes BIGINT, last_modified_time TIMESTAMPTZ, storage_tier VARCHAR",
			where:   "table_schema", dataset: true, rows: (*snapshot).partitions,
		},
		"TABLE_STORAGE": {
			columns: "project_id VARCHAR, " + tableColumns + "creation_time TIMESTAMPTZ, total_rows BIGINT, total_partitions BIGINT, total_logical_bytes BIGINT, active_logical_bytes BIGINT, long_term_logical_bytes BIGINT, deleted BOOLEAN, table_type VARCHAR",
			where:   "table_schema", region: true, rows: (*snapshot).storage,
		},
		"TABLE_CONSTRAINTS": {
			columns: constraintColumns + tableColumns + "constraint_type VARCHAR, is_deferrable VARCHAR, initially_deferred VARCHAR, enforced VARCHAR",
			where:   "table_schema", dataset: true, rows: (*snapshot).tableConstraints,
		},
		"KEY_COLUMN_USAGE": {
			columns: constraintColumns + tableColumns + "column_name VARCHAR, ordinal_position BIGINT, position_in_unique_constraint BIGINT",
			where:   "table_schema", dataset: true, rows: (*snapshot).keyColumns,
		},
		"CONSTRAINT_COLUMN_USAGE": {
			columns: tableColumns + "column_name VARCHAR, constraint_catalog VARCHAR, constraint_schema VARCHAR, constraint_name VARCHAR",
			where:   "constraint_schema", dataset: true, rows: (*snapshot).constraintColumns,
		},
		"JOBS": jobs, "JOBS_BY_PROJECT": jobs, "JOBS_BY_USER": jobs,
	}
}

// views keeps the tables that hold INFORMATION_SCHEMA, by the catalogue's version.
type views struct {
	mu   sync.Mutex
	made map[string]bool
}

// view writes a view with its qualifiers: a dataset, a region, or neither.
func (t *translation) view(qualifiers, rest []string, n node) {
	if len(rest) != 1 {
		t.fail(invalid("Invalid INFORMATION_SCHEMA path at %s", position(t.source, n.at)))
		return
	}
	id := strings.ToUpper(rest[0])
	v, ok := schemaViews()[id]
	full := t.project + ":" + strings.Join(append(slices.Clone(qualifiers), "INFORMATION_SCHEMA", id), ".")
	if len(qualifiers) > 0 && (qualifiers[0] == t.project || len(qualifiers) == 2) {
		if qualifiers[0] != t.project {
			t.fail(denied("Table %s: User does not have permission to query table %s, or perhaps it does not exist.", full, full))
			return
		}
		qualifiers = qualifiers[1:]
	}
	region := t.catalog.location
	byRegion := len(qualifiers) == 0
	if len(qualifiers) == 1 {
		region, byRegion = strings.CutPrefix(strings.ToLower(qualifiers[0]), "region-")
	}
	switch {
	case !ok || len(qualifiers) > 1:
		t.fail(missing("Table %s was not found", full))
		return
	case byRegion && !v.region:
		t.fail(invalid("Table %q must be qualified with a dataset (e.g. dataset.table).", "INFORMATION_SCHEMA."+id))
		return
	case !byRegion && !v.dataset:
		t.fail(missing("Table %s was not found in location %s", full, t.catalog.location))
		return
	}
	var datasets []string
	for _, d := range t.catalog.sorted() {
		if byRegion && strings.EqualFold(d.location, region) && !t.catalog.deniedTo(t.user, d.id) || !byRegion && d.id == qualifiers[0] {
			datasets = append(datasets, quoted(d.id))
		}
	}
	if !byRegion {
		if len(datasets) == 0 {
			t.fail(missing("Dataset %s:%s was not found in location %s", t.project, qualifiers[0], t.catalog.location))
			return
		}
		if t.catalog.deniedTo(t.user, qualifiers[0]) {
			t.fail(denied("Table %s: User does not have permission to query table %s, or perhaps it does not exist.", full, full))
			return
		}
		t.homes = append(t.homes, qualifiers[0])
	}
	t.needed = append(t.needed, id)
	if v.live {
		t.put("(SELECT * FROM temp."+identifier(id)+")", n.at)
		return
	}
	t.put(fmt.Sprintf("(SELECT * FROM %s.%s WHERE %s IN (%s))", identifier(viewSchema(t.version)), identifier(id), v.where, strings.Join(append(datasets, "NULL"), ", ")), n.at)
}

func viewSchema(version int) string { return fmt.Sprintf("__information_schema_%d", version) }

// materialise makes the tables of the views that a statement reads.
func (s *Server) materialise(ctx context.Context, session *session, j *job, t *translation) error {
	all := schemaViews()
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	for _, id := range t.needed {
		v := all[id]
		if v.live {
			if id != "JOBS_BY_USER" && !s.allowed(j.user, "bigquery.jobs.listAll") {
				return denied("Table %s:INFORMATION_SCHEMA.%s: User does not have permission to query table %s:INFORMATION_SCHEMA.%s, or perhaps it does not exist.", s.Project, id, s.Project, id)
			}
			if err := session.exec(ctx, "CREATE OR REPLACE TEMP TABLE "+identifier(id)+" ("+v.columns+")"); err != nil {
				return err
			}
			if err := session.fill("temp", "main", id, s.jobRows(j, id == "JOBS_BY_USER")); err != nil {
				return err
			}
			continue
		}
		schema := viewSchema(t.version)
		if s.views.made[schema+"."+id] {
			continue
		}
		path := identifier(schema) + "." + identifier(id)
		for _, make := range []string{"CREATE SCHEMA IF NOT EXISTS " + identifier(schema), "CREATE OR REPLACE TABLE " + path + " (" + v.columns + ")"} {
			if err := session.exec(ctx, make); err != nil {
				return err
			}
		}
		snap := &snapshot{ctx: ctx, s: s, session: session, project: s.Project, datasets: s.catalog.sorted()}
		rows := v.rows(snap)
		if err := errors.Join(snap.err, session.fill("", schema, id, rows)); err != nil {
			return err
		}
		if s.views.made == nil {
			s.views.made = map[string]bool{}
		}
		s.views.made[schema+"."+id] = true
	}
	return nil
}

// fill appends rows to a table.
func (s *session) fill(catalog, schema, table string, rows [][]any) error {
	return s.conn.Raw(func(c any) error {
		a, err := duckdb.NewAppender(c.(driver.Conn), catalog, schema, table)
		if err != nil {
			return err
		}
		for _, r := range rows {
			values := make([]driver.Value, len(r))
			for i, v := range r {
				values[i] = v
			}
			if err := a.AppendRow(values...); err != nil {
				return errors.Join(err, a.Close())
			}
		}
		return a.Close()
	})
}

// jobRows are the rows of JOBS: the asking job is among them, and runs.
func (s *Server) jobRows(asking *job, own bool) [][]any {
	s.mu.Lock()
	order := slices.Clone(s.order)
	s.mu.Unlock()
	var rows [][]any
	for _, j := range order {
		if own && j.user != asking.user {
			continue
		}
		r := s.resource(j)
		one := []any{j.created, s.Project, j.user, j.id, "QUERY", nil, "INTERACTIVE", j.created, nil, j.config.Query.Query, r.Status.State, nil, nil, false, nil, nil, nil}
		if q := r.Statistics.Query; q != nil {
			one[5], one[8], one[11], one[12] = q.StatementType, j.ended, q.TotalBytesProcessed, q.TotalBytesBilled
			refs := []any{}
			for _, t := range q.ReferencedTables {
				refs = append(refs, map[string]any{"project_id": t.ProjectId, "dataset_id": t.DatasetId, "table_id": t.TableId})
			}
			one[15] = refs
		}
		if e := r.Status.ErrorResult; e != nil {
			one[14] = map[string]any{"reason": e.Reason, "message": e.Message}
		}
		labels := []any{}
		for _, k := range slices.Sorted(maps.Keys(j.config.Labels)) {
			labels = append(labels, map[string]any{"key": k, "value": j.config.Labels[k]})
		}
		one[16] = labels
		rows = append(rows, one)
	}
	return rows
}
