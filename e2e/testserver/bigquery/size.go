package bigquery

import (
	"context"
	"slices"
	"strconv"
	"strings"

	bq "google.golang.org/api/bigquery/v2"
)

func text64(n int64) string { return strconv.FormatInt(n, 10) }

// bytesOf writes what columns take, as the service counts it: a fixed number of bytes for
// a value of most types, two more than its length for a text; nothing for NULL.
// Source: https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#data_type_sizes.
func bytesOf(fields []*bq.TableFieldSchema) string {
	parts := []string{"0"}
	for _, f := range fields {
		column, s := identifier(f.Name), scalars[f.Type]
		switch {
		case f.Mode == "REPEATED" || f.Type == "RECORD" || f.Type == "JSON" || f.Type == "GEOGRAPHY":
			parts = append(parts, "coalesce(sum(octet_length(CAST(CAST("+column+" AS VARCHAR) AS BLOB))), 0)") // about that
		case f.Type == "STRING":
			parts = append(parts, "coalesce(sum(2 + strlen("+column+")), 0)")
		case f.Type == "BYTES":
			parts = append(parts, "coalesce(sum(2 + octet_length("+column+")), 0)")
		default:
			parts = append(parts, strconv.Itoa(s.bytes)+" * count("+column+")")
		}
	}
	return "CAST(" + strings.Join(parts, " + ") + " AS BIGINT)"
}

// size returns a table's rows and bytes.
func (s *Server) size(ctx context.Context, session *session, t *table) (rows, bytes int64, err error) {
	return s.sizeOf(ctx, session, t, t.fields)
}

func (s *Server) sizeOf(ctx context.Context, session *session, t *table, fields []*bq.TableFieldSchema) (rows, bytes int64, err error) {
	if t.kind == "VIEW" || t.kind == "EXTERNAL" {
		return 0, 0, nil
	}
	err = session.conn.QueryRowContext(ctx, "SELECT count(*), "+bytesOf(fields)+" FROM "+identifier(t.dataset)+"."+identifier(t.id)).Scan(&rows, &bytes)
	return rows, bytes, err
}

// weigh returns the bytes that a statement reads: the columns that it names, or all for a
// star; ten megabytes for a view of INFORMATION_SCHEMA.
func (s *Server) weigh(ctx context.Context, session *session, t *translation) (total int64, err error) {
	total = int64(len(t.needed)) * 10 * megabyte
	seen := map[reference]bool{}
	for _, r := range t.refs {
		of := s.catalog.find(r.dataset, r.table)
		if of == nil || seen[r] {
			continue
		}
		seen[r] = true
		fields := of.fields
		if !t.star {
			fields = slices.DeleteFunc(slices.Clone(fields), func(f *bq.TableFieldSchema) bool { return !t.words[strings.ToLower(f.Name)] })
		}
		_, bytes, err := s.sizeOf(ctx, session, of, fields)
		if err != nil {
			return 0, err
		}
		total += bytes
	}
	return total, nil
}
