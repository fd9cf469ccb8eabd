package scan

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// globs know which of the globs of a scan fit something.
type globs struct {
	include, exclude []glob
	levels           int
}

type glob struct {
	text   string
	filter *sqlkit.Filter
	fits   bool
}

// newGlobs reads the globs of a scan for an engine whose names have levels parts.
// Errors: KindInvalid.
func newGlobs(s connection.Scan, levels int) (*globs, error) {
	g := &globs{levels: levels}
	for _, list := range []struct {
		globs []string
		into  *[]glob
	}{{s.Include, &g.include}, {s.Exclude, &g.exclude}} {
		for _, text := range list.globs {
			filter, err := sqlkit.NewFilter([]string{text}, nil, levels)
			if err != nil {
				return nil, err
			}
			*list.into = append(*list.into, glob{text: text, filter: filter})
		}
	}
	return g, nil
}

// note takes down which globs a table fits.
func (g *globs) note(ref sdk.TableRef) {
	for _, list := range [][]glob{g.include, g.exclude} {
		for i := range list {
			list[i].fits = list[i].fits || list[i].filter.Match(ref)
		}
	}
}

func unfit(list []glob) (texts []string) {
	for i := range list {
		if !list[i].fits {
			texts = append(texts, list[i].text)
		}
	}
	return texts
}

// selected refuses a scan with an include that fits nothing, or whose excludes
// leave nothing: it would put an empty catalog in the place of a good one. An
// exclude that fits nothing is worth a warning.
func (j *job) selected(ctx context.Context, session sdk.Session, g *globs, tables int64) error {
	missed := unfit(g.include)
	if len(missed) == 0 && len(g.exclude) == 0 {
		if tables == 0 {
			j.note("The account sees no tables in this database.")
		}
		return nil
	}
	// Names alone cost one query; the excluded tables were not in the scan.
	request := sdk.ScanRequest{Facets: []sdk.Facet{sdk.FacetEstimates}}
	if len(missed) == 0 && tables > 0 {
		request.Include = j.settings.Exclude
	}
	list := &nameWriter{globs: g}
	if _, err := session.Scan(ctx, request, list); err != nil {
		return err
	}
	if excluded := unfit(g.exclude); len(excluded) > 0 {
		j.warnings.add(sdk.Warning{Code: codeGlob, Message: "no table fits the exclude " + strings.Join(excluded, ", ")})
	}
	switch {
	case len(missed) > 0:
		return j.nothing(missed, list.names, g.levels)
	case tables == 0 && len(list.names) > 0:
		return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the excludes leave no table of %s", j.warehouse.ID).
			WithHint("exclude less: change --exclude or scan.exclude in loam.yaml")
	case tables == 0:
		j.note("The account sees no tables in this database.")
	}
	return nil
}

// nothing is the error for includes that fit no table which is left: it lists
// what there is.
func (j *job) nothing(missed []string, names []sdk.TableRef, levels int) error {
	e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no table of %s fits the include %s", j.warehouse.ID, strings.Join(missed, ", "))
	for _, text := range missed {
		filter, err := sqlkit.NewFilter([]string{text}, nil, levels)
		if err == nil && slices.ContainsFunc(names, filter.Match) {
			e.Msg += fmt.Sprintf(" (the excludes leave nothing of %s)", text)
		}
	}
	if all := j.warnings.list(); len(all) > 0 {
		e.Msg += "; " + strings.TrimPrefix(all[0].Object+": "+all[0].Message, ": ")
	}
	tables := make([]string, len(names))
	known := map[string]bool{}
	for i, ref := range names {
		tables[i] = catalog.Display(ref)
		if ref.Schema != "" {
			known[catalog.Display(sdk.TableRef{Schema: ref.Catalog, Name: ref.Schema})+".*"] = true
		}
	}
	schemas := slices.Sorted(maps.Keys(known))
	for _, text := range missed {
		e.Candidates = append(e.Candidates, sqlkit.Nearest(text, slices.Concat(schemas, tables))...)
	}
	if len(e.Candidates) == 0 {
		e.Candidates = slices.Concat(schemas[:min(maxListed/2, len(schemas))], tables[:min(maxListed/2, len(tables))])
	}
	if len(names) == 0 {
		return e.WithHint("loam connection test %s says what the account may read", j.warehouse.ID)
	}
	return e.WithHint("correct --include, or scan.include in loam.yaml; there are %s in %s, such as %s",
		plural(len(names), "table"), plural(max(1, len(schemas)), "schema"), strings.Join(e.Candidates, ", "))
}

// maxListed is how many names an error lists.
const maxListed = 20

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// nameWriter receives a scan for its names.
type nameWriter struct {
	globs *globs
	names []sdk.TableRef
}

// Table implements sdk.ScanWriter.
func (w *nameWriter) Table(t *sdk.Table) error {
	w.globs.note(t.TableRef)
	w.names = append(w.names, t.TableRef)
	return nil
}

// Warning implements sdk.ScanWriter.
func (*nameWriter) Warning(sdk.Warning) error { return nil }

// Progress implements sdk.ScanWriter.
func (*nameWriter) Progress(sdk.Progress) {}
