package validation

import (
	"fmt"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// tables finds the tables that files name and the last scan did not find. Without
// a scan nobody can tell, which a note says.
func (v *validation) tables() {
	if v.state.Snapshot == nil {
		return
	}
	for _, s := range v.sources {
		if s.TablePos.Line == 0 || s.Broken != "" {
			continue
		}
		_, err := v.state.Snapshot.Lookup(v.dialect, s.Table)
		if sdk.KindOf(err) == sdk.KindNotFound {
			v.add(v.missingTable(s, sdk.AsError(err, sdk.SourceHost).Candidates))
		}
	}
}

// missingTable is a table that the scan did not find: a mistake, unless the scan was
// told to leave tables out.
func (v *validation) missingTable(s *model.Source, near []string) binding.Problem {
	p := binding.Problem{
		Severity: binding.SeverityError, File: binding.File(v.warehouse.ID, s.File), Line: int(s.TablePos.Line), Column: int(s.TablePos.Column),
		Path: "table", Source: s.Name, Message: fmt.Sprintf("the last scan found no table %s", catalog.Display(s.Table)), Candidates: near,
	}
	if len(near) > 0 {
		p.Message += ", the nearest is " + near[0]
	}
	p.Message += fmt.Sprintf("; run loam scan %s if it is new", v.warehouse.ID)
	if scan := v.warehouse.Scan; len(scan.Include)+len(scan.Exclude) > 0 {
		p.Severity = binding.SeverityWarning
		p.Message += ", or mind that scan.include and scan.exclude of the connection may leave it out: then nobody knows its columns"
	}
	return p
}
