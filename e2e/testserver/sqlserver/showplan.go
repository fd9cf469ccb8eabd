//go:build cgo

package sqlserver

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"slices"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// showplanOf reads SET SHOWPLAN_XML ON | OFF, which stands alone in its batch.
// Errors: 1067.
func showplanOf(statements []statement) (on, ok bool, err error) {
	for _, st := range statements {
		if st.verb != "SET" || len(st.tokens) < 3 || !strings.HasPrefix(st.tokens[1].text, "SHOWPLAN_") {
			continue
		}
		switch {
		case !st.tokens[1].is("SHOWPLAN_XML"):
			return false, false, missing(st.line(), "SET %s", st.tokens[1].text)
		case len(statements) > 1:
			return false, false, &tds.Error{Number: 1067, Class: 15, Line: uint32(st.line()), Message: "The SET SHOWPLAN statements must be the only statements in the batch."}
		case len(st.tokens) != 3 || !st.tokens[2].is("ON", "OFF"):
			return false, false, syntaxError(st.tokens[len(st.tokens)-1])
		}
		return st.tokens[2].is("ON"), true, nil
	}
	return false, false, nil
}

// Elements of a showplan.
// Source: schemas.microsoft.com/sqlserver/2004/07/showplan.
type (
	showPlanXML struct {
		XMLName    xml.Name     `xml:"http://schemas.microsoft.com/sqlserver/2004/07/showplan ShowPlanXML"`
		Version    string       `xml:"Version,attr"`
		Build      string       `xml:"Build,attr"`
		Statements []stmtSimple `xml:"BatchSequence>Batch>Statements>Stmt"`
	}
	stmtSimple struct {
		XMLName xml.Name
		Text    string     `xml:"StatementText,attr"`
		ID      int        `xml:"StatementId,attr"`
		Comp    int        `xml:"StatementCompId,attr"`
		Type    string     `xml:"StatementType,attr"`
		Rows    string     `xml:"StatementEstRows,attr,omitempty"`
		Cost    string     `xml:"StatementSubTreeCost,attr,omitempty"`
		Plan    *queryPlan `xml:"QueryPlan"`
	}
	queryPlan struct {
		Root relOp `xml:"RelOp"`
	}
	relOp struct {
		ID       int        `xml:"NodeId,attr"`
		Physical string     `xml:"PhysicalOp,attr"`
		Logical  string     `xml:"LogicalOp,attr"`
		Rows     string     `xml:"EstimateRows,attr"`
		IO       string     `xml:"EstimateIO,attr"`
		CPU      string     `xml:"EstimateCPU,attr"`
		Width    string     `xml:"AvgRowSize,attr"`
		Cost     string     `xml:"EstimatedTotalSubtreeCost,attr"`
		Scan     *tableScan `xml:"TableScan"`
		Inner    *operator  `xml:"ComputeScalar"`
	}
	tableScan struct {
		Object planObject `xml:"Object"`
	}
	planObject struct {
		Database string `xml:"Database,attr"`
		Schema   string `xml:"Schema,attr"`
		Table    string `xml:"Table,attr"`
	}
	operator struct {
		Children []relOp `xml:"RelOp"`
	}
)

// plan answers a batch with its plan. USE is run even so, as the real server does.
func (s *session) plan(ctx context.Context, statements []statement, a *tds.Answer) error {
	doc := showPlanXML{Version: "1.564", Build: productVersion}
	statements, parameters, err := s.planParameters(ctx, statements)
	if err != nil {
		return err
	}
	for i, st := range statements {
		one, err := s.planned(ctx, st, parameters)
		if err != nil {
			return serverError(ctx, err, st)
		}
		one.XMLName.Local = "StmtSimple"
		if st.verb == "USE" {
			if err := s.run(ctx, st, nil, a); err != nil {
				return err
			}
			one.XMLName.Local = "StmtUseDb"
		} else if st.verb == "IF" || st.verb == "WHILE" {
			one.XMLName.Local = "StmtCond"
		}
		one.ID, one.Comp = i+1, i+1
		doc.Statements = append(doc.Statements, one)
	}
	if len(doc.Statements) == 0 {
		return nil
	}
	text, err := xml.Marshal(doc)
	if err != nil {
		return err
	}
	a.Columns(tds.Column{Name: "Microsoft SQL Server 2005 XML Showplan", Type: tds.Type{Name: "nvarchar", Length: tds.Max}, Nullable: true})
	return a.Row(string(text))
}

// planned returns a statement's plan; its type is what DuckDB's parser says.
func (s *session) planned(ctx context.Context, st statement, parameters map[string]any) (stmtSimple, error) {
	var source strings.Builder
	for i, one := range st.tokens {
		if i > 0 {
			source.WriteString(one.lead)
		}
		source.WriteString(one.raw)
	}
	one := stmtSimple{Text: source.String(), Type: utility(st)}
	if planted := s.server.plantedType(one.Text); planted != "" {
		one.Type = planted
		return one, nil
	}
	if one.Type != "" {
		return one, nil
	}
	text, err := s.query(st, parameters)
	if err != nil {
		return one, err
	}
	if st.verb == "SELECT" {
		var query tree
		if query, err = s.parse(ctx, text); err == nil {
			err = s.permitted(query.tables(), st.line())
		}
	} else {
		err = s.mayWrite(st)
	}
	if err != nil {
		return one, err
	}
	if one.Type, err = s.statementType(ctx, text); err != nil {
		return one, err
	}
	if one.Type == "SELECT" && !slices.ContainsFunc(st.tokens, func(t token) bool { return t.is("FROM") }) {
		one.Type = "SELECT WITHOUT QUERY"
		return one, nil
	}
	root, err := s.estimate(ctx, text)
	one.Plan, one.Rows, one.Cost = &queryPlan{Root: root}, root.Rows, root.Cost
	return one, err
}

// utility is the type of a statement that DuckDB is not asked about; "" = it is.
func utility(st statement) string {
	switch st.verb {
	case "SELECT", "INSERT", "UPDATE", "DELETE":
		for i, one := range st.tokens {
			if one.is("INTO") && st.verb == "SELECT" && i > 0 {
				return "SELECT INTO"
			}
		}
		return ""
	case "EXEC", "EXECUTE":
		return "EXECUTE PROC"
	case "SET":
		return "SET ON/OFF"
	case "USE":
		return "USE DATABASE"
	case "IF", "WHILE":
		return "COND"
	case "CREATE", "ALTER", "DROP", "TRUNCATE":
		if len(st.tokens) > 1 {
			return st.verb + " " + st.tokens[1].text
		}
	}
	return st.verb
}

// statementType asks DuckDB's parser.
func (s *session) statementType(ctx context.Context, text string) (string, error) {
	kind := ""
	err := s.conn.Raw(func(conn any) error {
		prepared, err := conn.(*duckdb.Conn).PrepareContext(ctx, text)
		if err != nil {
			return err
		}
		defer func() { _ = prepared.Close() }()
		t, err := prepared.(*duckdb.Stmt).StatementType()
		switch t {
		case duckdb.STATEMENT_TYPE_SELECT:
			kind = "SELECT"
		case duckdb.STATEMENT_TYPE_INSERT:
			kind = "INSERT"
		case duckdb.STATEMENT_TYPE_UPDATE:
			kind = "UPDATE"
		case duckdb.STATEMENT_TYPE_DELETE:
			kind = "DELETE"
		default:
			return missing(1, "plan of this statement")
		}
		return err
	})
	return kind, err
}

// node is a node of EXPLAIN (FORMAT json).
type node struct {
	Name     string         `json:"name"`
	Children []node         `json:"children"`
	Extra    map[string]any `json:"extra_info"`
}

// estimate returns DuckDB's plan as a showplan has it.
func (s *session) estimate(ctx context.Context, text string) (relOp, error) {
	var key, value string
	if err := s.conn.QueryRowContext(ctx, "EXPLAIN (FORMAT json) "+text).Scan(&key, &value); err != nil {
		return relOp{}, err
	}
	var roots []node
	if err := json.Unmarshal([]byte(value), &roots); err != nil || len(roots) == 0 {
		return relOp{}, missing(1, "plan of this statement")
	}
	id := 0
	return roots[0].operator(&id), nil
}

func (n node) operator(id *int) relOp {
	op := relOp{ID: *id, Physical: physical(n.Name), IO: "0", Width: "11"}
	*id++
	op.Logical = op.Physical
	var children operator
	total, rows := 0.0, 1.0
	for _, c := range n.Children {
		child := c.operator(id)
		children.Children = append(children.Children, child)
		cost, _ := strconv.ParseFloat(child.Cost, 64) // written below
		total += cost
		if r, _ := strconv.ParseFloat(child.Rows, 64); r > rows {
			rows = r
		}
	}
	if said, ok := n.Extra["Estimated Cardinality"].(string); ok {
		if r, err := strconv.ParseFloat(strings.TrimPrefix(said, "~"), 64); err == nil {
			rows = r
		}
	}
	op.Rows = strconv.FormatFloat(rows, 'f', -1, 64)
	op.CPU = strconv.FormatFloat(rows*1e-6, 'g', -1, 64)
	op.Cost = strconv.FormatFloat(total+rows*1e-6, 'g', -1, 64)
	if table, ok := n.Extra["Table"].(string); ok && strings.Contains(n.Name, "SCAN") {
		parts := nameParts(table)
		for len(parts) < 3 {
			parts = append([]string{""}, parts...)
		}
		op.Scan = &tableScan{planObject{"[" + parts[0] + "]", "[" + parts[1] + "]", "[" + parts[2] + "]"}}
	}
	if len(children.Children) > 0 {
		op.Inner = &children
	}
	return op
}

// physical names an operator of DuckDB as SQL Server would.
func physical(name string) string {
	switch {
	case strings.Contains(name, "SCAN"):
		return "Table Scan"
	case strings.Contains(name, "HASH_JOIN"):
		return "Hash Match"
	case strings.Contains(name, "NESTED_LOOP"), strings.Contains(name, "CROSS"):
		return "Nested Loops"
	case strings.Contains(name, "GROUP"), strings.Contains(name, "AGGREGATE"):
		return "Stream Aggregate"
	case strings.Contains(name, "ORDER"):
		return "Sort"
	case strings.Contains(name, "LIMIT"), strings.Contains(name, "TOP_N"):
		return "Top"
	case strings.Contains(name, "FILTER"):
		return "Filter"
	}
	return "Compute Scalar"
}
