// Package reach finds what a statement reaches beyond what it names.
//
// A read-only transaction stops what an engine writes inside it. It does not
// stop a function that opens another connection, a function that writes a file,
// or a table that lives on another server; and "SELECT * FROM v" names none of
// them. A connector tells a Graph what its catalogue defines and which of that
// can leave the transaction. Solve follows the uses backwards once, and the Map
// it returns answers each statement from the statement's own tokens:
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
// The package knows no engine and asks none. Names are compared without case
// and by their last part, so that it finds too much rather than too little: a
// statement that names a harmless object with the name of a dangerous one is
// refused, unless what stands in front of the name tells them apart. When
// nothing in the catalogue leaves the transaction, Find returns at once.
//
// A function that only writes inside the transaction is no reason: the engine
// refuses that, and most functions of real warehouses are such.
package reach
