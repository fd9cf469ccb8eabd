package sqlserver

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// plan is what a plan of the server says about a text.
type plan struct {
	xml string
	// kinds are those of the statements of the text.
	kinds []string
	// leaves says why the statement may do more than read; "" = it may not.
	leaves string
	rows   int64 // of the result, estimated; -1 = not said
	// abroad: it reads what a snapshot of the database does not cover.
	abroad bool
}

// reads are the kinds of statements that return rows and store none. One without a
// table has no query in it.
var reads = []string{"SELECT", "SELECT WITHOUT QUERY"}

// whole are the elements above the statements of the text itself; those of the
// functions that it calls are further down.
var whole = []string{"ShowPlanXML", "BatchSequence", "Batch", "Statements"}

// readPlan reads a plan for a statement in a database.
// Errors: a text that is none.
func readPlan(text, database string) (*plan, error) {
	p := &plan{xml: text, rows: -1}
	d := xml.NewDecoder(strings.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it says UTF-16, and came as text
	var above []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("the plan cannot be read: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			p.element(above, t, database)
			above = append(above, t.Name.Local)
		case xml.EndElement:
			above = above[:len(above)-1]
		}
	}
	if len(p.kinds) == 0 {
		return nil, errors.New("the plan has no statement")
	}
	return p, nil
}

func (p *plan) element(above []string, t xml.StartElement, database string) {
	at := func(name string) string {
		for _, a := range t.Attr {
			if a.Name.Local == name {
				return a.Value
			}
		}
		return ""
	}
	switch name := t.Name.Local; {
	case slices.Equal(above, whole):
		kind := at("StatementType")
		if name != "StmtSimple" {
			kind = name + " " + kind
		}
		p.kinds = append(p.kinds, kind)
		if rows, err := strconv.ParseFloat(at("StatementEstRows"), 64); err == nil && rows < math.MaxInt64/2 {
			p.rows = int64(math.Round(rows))
		}
	case strings.HasPrefix(name, "Stmt") && strings.HasPrefix(at("StatementType"), "EXEC"), name == "StoredProc":
		p.leave("runs a procedure in a function")
	case name == "RelOp" && strings.HasPrefix(at("PhysicalOp"), "Remote"):
		p.leave("reaches another server or a file (" + at("PhysicalOp") + ")")
	case name == "UserDefinedFunction" && yes(at("IsClrFunction")):
		p.leave("runs a function of an assembly (" + at("FunctionName") + ")")
	case name == "Object":
		if at("Server") != "" {
			p.leave("reaches another server (" + at("Server") + ")")
		}
		of := at("Database")
		p.abroad = p.abroad || of != "" && of != quote(database) && of != "[mssqlsystemresource]" || at("Storage") == "MemoryOptimized"
	}
}

func (p *plan) leave(why string) {
	if p.leaves == "" {
		p.leaves = why
	}
}

func yes(text string) bool { return text == "1" || text == "true" }

// refusal says why the statement is not one that reads; "" = it is.
func (p *plan) refusal() string {
	switch {
	case len(p.kinds) != 1:
		return fmt.Sprintf("the server takes the text for %d statements, and only one may be sent", len(p.kinds))
	case !slices.Contains(reads, p.kinds[0]):
		return fmt.Sprintf("the server takes the statement for %s, and only a SELECT is accepted", p.kinds[0])
	case p.leaves != "":
		return "the statement " + p.leaves + ", where nothing is read-only"
	default:
		return ""
	}
}
