package project

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/cli/snapshot"
	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// connectDocument is the result of loam connect.
type connectDocument struct {
	Project    string        `json:"project"`
	Created    []string      `json:"created"`
	Connection connection.ID `json:"connection"`
	Connector  string        `json:"connector"`
	// Added says that the connection is new, Changed that its entry in loam.yaml changed.
	Added   bool `json:"added"`
	Changed bool `json:"changed"`
	// Secrets are the references by key; Unset are the variables among them that the person has to
	// set.
	Secrets map[string]string `json:"secrets,omitempty"`
	Unset   []string          `json:"unsetVariables,omitempty"`
	Steps   []health.Step     `json:"steps"`
	// Writes says that the account may write; Reader is the SQL that creates an account that may
	// not.
	Writes bool                  `json:"accountMayWrite"`
	Reader []string              `json:"reader,omitempty"`
	Scan   snapshot.ScanDocument `json:"scan"`
	Found  []foundTable          `json:"largestTables"`
	Joins  []string              `json:"joins"`
	Agents *mcp.Setup            `json:"agents"`
	// AgentsError is why no client was set up.
	AgentsError *terminal.Failure `json:"agentsError,omitempty"`
	Next        []string          `json:"next"`
}

// foundTable is a table that the scan found; Rows is nil without an estimate of the warehouse.
type foundTable struct {
	Name string `json:"table"`
	Rows *int64 `json:"estimatedRows"`
}

// mostFound bounds the tables and the joins that are shown.
const mostFound = 8

// document returns the result.
func (t *attempt) document(result *scan.Result) *connectDocument {
	d := &connectDocument{
		Project: t.current.Dir, Created: append([]string{}, t.created...), Connection: t.now.ID, Connector: t.now.Connector,
		Added: t.was == nil, Changed: t.changed, Secrets: t.secrets.references, Unset: t.secrets.variables,
		Steps: health.NewSteps(t.steps), Scan: snapshot.NewScanDocument(t.now.ID, result, nil), Found: t.largest(), Joins: []string{},
	}
	for _, s := range t.steps {
		if s.Warning && len(s.Statements) > 0 {
			d.Writes, d.Reader = true, s.Statements
		}
	}
	for _, r := range result.Relationships.Relationships {
		if r.Status == relationship.Accepted {
			d.Joins = append(d.Joins, join(r))
		}
	}
	d.Next = append(snapshot.Next(t.now.ID, result), t.next(d)...)
	return d
}

func join(r relationship.Relationship) string {
	side := func(table sdk.TableRef, columns []string) string {
		return catalog.Display(table) + "." + strings.Join(columns, ", ")
	}
	return side(r.From, r.Columns) + " -> " + side(r.To, r.ToColumns) + " (" + string(r.Origin) + ")"
}

// largest returns the tables with the most rows, by the warehouse's estimates.
func (t *attempt) largest() []foundTable {
	found := []foundTable{}
	image, err := t.services.Catalogs.Of(string(t.now.ID)).Latest()
	if err != nil {
		t.commands.term.Warn(err)
		return found
	}
	for _, e := range image.Entries() {
		f := foundTable{Name: catalog.Display(e.TableRef)}
		if e.RowEstimate >= 0 {
			f.Rows = &e.RowEstimate
		}
		found = append(found, f)
	}
	rows := func(f foundTable) int64 {
		if f.Rows == nil {
			return -1
		}
		return *f.Rows
	}
	slices.SortStableFunc(found, func(a, b foundTable) int { return cmp.Compare(rows(b), rows(a)) })
	return found[:min(mostFound, len(found))]
}

// next returns commands and a question to continue with.
func (t *attempt) next(d *connectDocument) []string {
	id := string(t.now.ID)
	var next []string
	if len(d.Found) > 0 {
		name := d.Found[0].Name
		next = append(next, "loam catalog show -c "+id+" "+text.ShellWord(name))
		if !strings.Contains(name, `"`) {
			next = append(next, fmt.Sprintf(`loam sql -c %s "select count(*) from %s"`, id, name))
		}
		next = append(next, fmt.Sprintf(`ask your agent: "What does %s contain, and how do its tables join?"`, id))
	}
	return next
}

// showFound prints the largest tables, the joins, and problems of the account.
func (t *attempt) showFound(d *connectDocument) error {
	term := t.commands.term
	if term.JSON {
		return nil
	}
	if len(d.Found) > 0 {
		table := term.NewTable([]string{"TABLE", "ROWS"}, 1)
		var rows [][]string
		for _, f := range d.Found {
			n := "?"
			if f.Rows != nil {
				n = strconv.FormatInt(*f.Rows, 10)
			}
			rows = append(rows, []string{f.Name, n})
		}
		if err := table.Rows(rows); err != nil {
			return err
		}
	}
	if more := d.Scan.Snapshot.Tables - len(d.Found); more > 0 {
		term.Infof("and %s: loam catalog tables -c %s", text.Count(more, "more table"), t.now.ID)
	}
	for _, j := range d.Joins[:min(mostFound, len(d.Joins))] {
		term.Infof("joins: %s", terminal.Escape(j))
	}
	if more := len(d.Joins) - mostFound; more > 0 {
		term.Infof("and %s: loam catalog relationships -c %s", text.Count(more, "more join"), t.now.ID)
	}
	if d.Writes {
		term.Infof("note: the account may do more than read; Loam refuses that, and an account that can only read is safer: loam connector show %s", t.now.Connector)
	}
	return nil
}
