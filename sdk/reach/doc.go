// Package reach finds objects that a statement uses through views and
// functions, without naming them.
//
// A read-only transaction stops what an engine writes inside it. It does not
// stop a function that opens another connection, a function that writes a file,
// or a table that lives on another server; and "SELECT * FROM v" names none of
// them. A connector adds the objects of its catalogue to a Graph, and marks
// those that can leave the transaction. Solve follows the uses backwards once;
// the Map that it returns checks each statement by its tokens:
//
//	g := reach.New(dialect, reach.NewExceptions(config.AllowFunctions))
//	g.Builtins(rules)                                // functions of the engine that leave the transaction
//	g.Define(reach.Object{Kind: reach.View, Schema: "main", Name: "v"}, "SELECT spend(1)")
//	g.Define(reach.Object{Kind: reach.Macro, Schema: "main", Name: "spend"}, "dblink_exec(...)")
//	g.Leaves(table, reach.Reason{Text: "is a table of another server"})
//	m := g.Solve()                                   // once per version of the catalogue
//	if path := m.Find(sql, tokens); path != nil {    // per statement, before anything of it is planned
//		return path.Refuse(sql)
//	}
//
// The package knows no engine and queries none. It compares names without case
// and by their last part, so that it finds too many objects rather than too
// few: a statement that names a harmless object with the name of a dangerous
// one is refused, unless their qualifiers differ. When nothing in the catalogue
// leaves the transaction, Find returns at once.
//
// A function that only writes inside the transaction is harmless: the engine
// refuses the write. Most functions of real warehouses are of this kind.
package reach
