package scan

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/scan/privacy"
	"github.com/loam-data/loam/sdk"
)

// relationships infers what the warehouse does not declare and keeps it with
// the tables. A structural scan infers nothing: it keeps what was found of
// tables that are still there. From the same tables and profiles the same is inferred,
// so that what was found is kept.
func (j *job) relationships(ctx context.Context) error {
	earlier, err := j.earlier()
	if err != nil {
		return err
	}
	found, enriched, basis := earlier, j.identity.Mode == catalog.Enriched, j.basis()
	switch unchanged := j.writer.Unchanged(); {
	case unchanged && !enriched:
	case unchanged && earlier.Basis == basis:
		found.Relationships = relationship.Decided(found.Relationships, j.decisions)
	case enriched:
		if found, err = j.infer(ctx, earlier); err == nil && found.Settled() {
			found.Basis = basis
		}
	default:
		found.Basis = ""
		err = j.carry(ctx, found)
	}
	if err != nil {
		return err
	}
	for _, list := range [][]relationship.Relationship{found.Relationships, found.Refuted} {
		for i := range list { // a server's message may repeat a value
			list[i].Evidence.Reason = privacy.Forms(list[i].Evidence.Reason)
		}
	}
	kept, err := found.Encode()
	if err != nil {
		return err
	}
	j.writer.Attach(kept)
	j.result.Relationships = *found
	return nil
}

// basis names what relationships are inferred from, beside the tables.
func (j *job) basis() string {
	return relationship.Basis(j.decisions, fmt.Sprint(j.settings.ProfileViews, j.settings.ForeignTables))
}

// earlier is what the snapshot before knows of relationships.
func (j *job) earlier() (*relationship.Result, error) {
	base := j.writer.Base()
	if base == nil {
		return &relationship.Result{}, nil
	}
	kept, err := base.Attachment()
	if err != nil {
		return nil, err
	}
	found, err := relationship.Decode(kept)
	if err != nil { // of another version: found again
		j.note("What the last snapshot says of relationships was not taken over: %v.", err)
		return &relationship.Result{}, nil
	}
	found.Validations = 0
	return found, nil
}

// infer finds the relationships of the new tables.
func (j *job) infer(ctx context.Context, earlier *relationship.Result) (*relationship.Result, error) {
	j.progress.report(sdk.Progress{Phase: phaseRelationships})
	v := &validator{job: j, rows: map[sdk.TableRef]int64{}}
	same := map[sdk.TableRef]bool{}
	found, err := relationship.Infer(ctx, relationship.Request{
		Tables:    j.tables(v.rows, same),
		Decisions: j.decisions,
		Validate:  v.validate,
		Earlier:   earlier,
		Same:      func(ref sdk.TableRef) bool { return same[ref] },
		Now:       func() time.Time { return j.service.Now().UTC() },
	})
	if err != nil {
		return nil, err
	}
	j.result.Queries = v.queries
	if found.Unchecked > 0 {
		j.warnings.add(sdk.Warning{Code: codeRelationships, Message: fmt.Sprintf("%s were not checked, for there was no time left: the next scan goes on with them",
			plural(found.Unchecked, "possible relationship"))})
	}
	for _, d := range found.Stale {
		j.note("The decision on %s is about a table or column that is not there.", d.Link)
	}
	return found, nil
}

// tables yields the tables of the new snapshot. It notes the rows of each, and
// which are the same as in the snapshot before.
func (j *job) tables(rows map[sdk.TableRef]int64, same map[sdk.TableRef]bool) iter.Seq2[relationship.Table, error] {
	return func(yield func(relationship.Table, error) bool) {
		for _, ref := range j.writer.Refs() {
			t, err := j.writer.Read(ref)
			if err != nil {
				yield(relationship.Table{}, err)
				return
			}
			one := relationship.Table{Table: &t.Table, Derived: !j.profilable(&t.Table)}
			rows[ref] = t.RowEstimate
			if t.Profile != nil {
				j.seen.add(t.Profile)
				one.Stats = t.Profile.Stats
				same[ref] = !t.New && !t.Changed && !t.Counted
				if len(one.Stats) > 0 && one.Stats[0].Complete {
					rows[ref] = one.Stats[0].Rows
				}
			}
			if !yield(one, nil) {
				return
			}
		}
	}
}

// carry leaves out what is about tables or columns that are gone.
func (j *job) carry(ctx context.Context, found *relationship.Result) error {
	present := map[sdk.TableRef]bool{}
	for _, ref := range j.writer.Refs() {
		present[ref] = true
	}
	columns := map[sdk.TableRef][]string{}
	has := func(ref sdk.TableRef, names []string) (bool, error) {
		if !present[ref] {
			return false, nil
		}
		if columns[ref] == nil {
			t, err := j.writer.Read(ref)
			if err != nil {
				return false, err
			}
			for i := range t.Columns {
				columns[ref] = append(columns[ref], t.Columns[i].Name)
			}
		}
		return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(columns[ref], name) }), nil
	}
	for _, list := range []*[]relationship.Relationship{&found.Relationships, &found.Refuted} {
		var kept []relationship.Relationship
		for _, r := range *list {
			from, err := has(r.From, r.Columns)
			if err != nil {
				return err
			}
			to, err := has(r.To, r.ToColumns)
			if err != nil {
				return err
			}
			if from && to {
				kept = append(kept, r)
			}
		}
		*list = kept
	}
	return ctx.Err()
}
