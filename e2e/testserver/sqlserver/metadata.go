//go:build cgo

package sqlserver

import (
	"slices"
	"strings"
)

// sessionFunctions tell of the server, the session and its rights.
var sessionFunctions = map[string]function{
	"SERVERPROPERTY": serverProperty, "DB_NAME": dbName, "DB_ID": dbID,
	"SUSER_SNAME": session0, "SUSER_NAME": session0, "ORIGINAL_LOGIN": session0, "USER_NAME": session0,
	"APP_NAME": func(c *call) (string, error) { return literal(c.t.session.login.Application), nil }, "HOST_NAME": func(c *call) (string, error) { return literal(c.t.session.login.Host), nil },
	"IS_ROLEMEMBER": isMember, "IS_MEMBER": isMember, "IS_SRVROLEMEMBER": isMember, "HAS_PERMS_BY_NAME": hasPermissions, "HAS_DBACCESS": hasAccess,
	"FN_MY_PERMISSIONS": myPermissions, "SYS.FN_MY_PERMISSIONS": myPermissions, "SYS.DM_EXEC_SQL_TEXT": macro("ms_sql_text", 1, 1), "SYS.DM_EXEC_PLAN_ATTRIBUTES": macro("ms_plan_attributes", 1, 1),
	"CHECKSUM": checksum, "DATALENGTH": macro("ms_datalength", 1, 1),
	"DATABASEPROPERTYEX": databaseProperty, "SCHEMA_NAME": catalogFunction("name", "schemas", "schema_id", "'dbo'"), "SCHEMA_ID": catalogFunction("schema_id", "schemas", "name", "1"),
	"OBJECT_NAME": catalogFunction("name", "objects", "object_id", ""), "TYPE_NAME": catalogFunction("name", "types", "user_type_id", ""),
	"OBJECT_DEFINITION": catalogFunction("definition", "sql_modules", "object_id", ""), "OBJECT_SCHEMA_NAME": objectSchema, "OBJECT_ID": objectID,
}

func serverProperty(c *call) (string, error) {
	if err := c.count(1, 1); err != nil {
		return "", err
	}
	one, ok := c.raw(0)
	if !ok || one.kind != text {
		return "", missing(c.line, "such a SERVERPROPERTY")
	}
	switch strings.ToLower(one.text) {
	case "productversion":
		return literal(productVersion), nil
	case "productmajorversion":
		return "'16'", nil
	case "edition":
		return "'Fixture'", nil
	case "engineedition":
		return "3", nil
	case "productlevel":
		return "'RTM'", nil
	case "collation":
		return "'SQL_Latin1_General_CP1_CI_AS'", nil
	case "servername", "machinename":
		return "'fixture'", nil
	case "ishadrenabled", "isintegratedsecurityonly":
		return "0", nil
	}
	return "NULL", nil
}

func databaseProperty(c *call) (string, error) {
	if err := c.count(2, 2); err != nil {
		return "", err
	}
	one, _ := c.raw(1)
	x, ok := map[string]string{"updateability": "'READ_WRITE'", "status": "'ONLINE'", "collation": "'SQL_Latin1_General_CP1_CI_AS'", "recovery": "'FULL'"}[strings.ToLower(one.text)]
	if !ok {
		return "", missing(c.line, "such a DATABASEPROPERTYEX")
	}
	return x, nil
}

func dbName(c *call) (string, error) {
	if len(c.parts) == 0 {
		return literal(c.t.session.database), nil
	}
	x, err := c.arg(0)
	return "(SELECT min(ms_.name) FROM (SELECT " + x + " AS ms_key) AS ms_k JOIN " + quote(c.t.session.database) + ".sys.databases AS ms_ ON ms_.database_id = ms_k.ms_key)", err
}

func dbID(c *call) (string, error) {
	x := literal(c.t.session.database)
	var err error
	if len(c.parts) > 0 {
		x, err = c.arg(0)
	}
	return "(SELECT CAST(min(ms_.database_id) AS SMALLINT) FROM (SELECT " + x + " AS ms_key) AS ms_k JOIN " + quote(c.t.session.database) + ".sys.databases AS ms_ ON ms_.name = ms_k.ms_key)", err
}

func session0(c *call) (string, error) {
	if err := c.count(0, 0); err != nil {
		return "", missing(c.line, "argument of %s", c.name)
	}
	return literal(c.t.session.login.User), nil
}

// isMember compares a role, which may come from a column, with the account's.
func isMember(c *call) (string, error) {
	if err := c.count(1, 1); err != nil {
		return "", err
	}
	role, err := c.arg(0)
	account := c.t.session.account
	mine := []string{"public"}
	for _, r := range account.Roles {
		mine = append(mine, strings.ToLower(r))
	}
	if c.name != "IS_SRVROLEMEMBER" && account.member("sysadmin") {
		mine = append(mine, "db_owner")
	}
	known := "db_owner db_accessadmin db_securityadmin db_ddladmin db_backupoperator db_datareader db_datawriter db_denydatareader db_denydatawriter public"
	if c.name == "IS_SRVROLEMEMBER" {
		known = "sysadmin serveradmin securityadmin processadmin setupadmin bulkadmin diskadmin dbcreator public"
	}
	return "CASE WHEN lower(" + role + ") IN (" + sentence(mine) + ") THEN 1 WHEN lower(" + role + ") IN (" + sentence(strings.Fields(known)) + ") THEN 0 END", err
}

// hasPermissions answers HAS_PERMS_BY_NAME for the database, a schema or an object.
func hasPermissions(c *call) (string, error) {
	if err := c.count(3, 3); err != nil {
		return "", err
	}
	permission, ok := c.raw(2)
	class, known := c.raw(1)
	if !ok || permission.kind != text || !known {
		return "", missing(c.line, "such a HAS_PERMS_BY_NAME")
	}
	s := c.t.session
	may := "0"
	if s.account.may(strings.ToUpper(permission.text)) {
		may = "1"
	}
	switch kind := strings.ToUpper(class.text); {
	case kind == "NULL", kind == "DATABASE", kind == "SERVER":
		return may, nil
	case kind == "SCHEMA" || kind == "OBJECT":
		name, err := c.arg(0)
		// [s].[o] without its brackets: what is denied goes before what is granted.
		name = "lower(replace(replace(" + name + ", '[', ''), ']', ''))"
		of := "[" + name + ", split_part(" + name + ", '.', 1)]"
		granted := "CAST([" + sentence(s.account.grantedOn(strings.ToUpper(permission.text))) + "] AS VARCHAR[])"
		return "CASE WHEN list_has_any(" + s.account.unread() + ", " + of + ") THEN 0 WHEN list_has_any(" + granted + ", " + of + ") THEN 1 ELSE " + may + " END", err
	}
	return "", missing(c.line, "HAS_PERMS_BY_NAME of a %s", class.raw)
}

func hasAccess(c *call) (string, error) {
	if err := c.count(1, 1); err != nil {
		return "", err
	}
	x, err := c.arg(0)
	var mine []string
	for name := range c.t.session.server.databases {
		if c.t.session.account.enters(name) {
			mine = append(mine, strings.ToLower(name))
		}
	}
	return "CASE WHEN lower(" + x + ") IN (" + sentence(mine) + ") THEN 1 WHEN " + x + " IN (SELECT name FROM " + quote(c.t.session.database) + ".sys.databases) THEN 0 END", err
}

// myPermissions is the table fn_my_permissions(NULL, 'DATABASE' | 'SERVER').
func myPermissions(c *call) (string, error) {
	if err := c.count(2, 2); err != nil {
		return "", err
	}
	one, _ := c.raw(1)
	var all []string
	switch account := c.t.session.account; {
	case one.kind == text && strings.EqualFold(one.text, "DATABASE"):
		all = account.permissions()
	case one.kind == text && strings.EqualFold(one.text, "SERVER"):
		all = append(all, "CONNECT SQL", "VIEW ANY DATABASE")
		for _, p := range []string{"CONTROL SERVER", "VIEW SERVER STATE", "ALTER ANY LOGIN", "SHUTDOWN"} {
			if account.member("sysadmin") || slices.Contains(account.Grants, p) {
				all = append(all, p)
			}
		}
	default:
		return "", missing(c.line, "fn_my_permissions of anything but a DATABASE or a SERVER")
	}
	var rows []string
	for _, p := range all {
		rows = append(rows, "("+literal(strings.ToLower(one.text))+", '', "+literal(p)+")")
	}
	return "(SELECT * FROM (VALUES " + strings.Join(rows, ", ") + ") AS p (entity_name, subentity_name, permission_name))", nil
}

// catalogFunction looks a value up in a view of sys. The argument stands in a query of
// its own, where the view's columns do not capture its names.
func catalogFunction(column, view, key, none string) function {
	return func(c *call) (string, error) {
		if len(c.parts) == 0 && none != "" {
			return none, nil
		}
		if err := c.count(1, 1); err != nil {
			return "", err
		}
		x, err := c.arg(0)
		return "(SELECT min(ms_." + column + ") FROM (SELECT " + x + " AS ms_key) AS ms_k JOIN " + quote(c.t.session.database) + ".sys." + view + " AS ms_ ON ms_." + key + " = ms_k.ms_key)", err
	}
}

func objectSchema(c *call) (string, error) {
	if err := c.count(1, 1); err != nil {
		return "", err
	}
	x, err := c.arg(0)
	db := quote(c.t.session.database)
	return "(SELECT min(ms_s.name) FROM (SELECT " + x + " AS ms_key) AS ms_k JOIN " + db + ".sys.objects AS ms_o ON ms_o.object_id = ms_k.ms_key JOIN " + db + ".sys.schemas AS ms_s ON ms_s.schema_id = ms_o.schema_id)", err
}

// objectID answers OBJECT_ID of a literal name.
func objectID(c *call) (string, error) {
	if err := c.count(1, 2); err != nil {
		return "", err
	}
	one, ok := c.raw(0)
	if !ok || one.kind != text {
		return "", missing(c.line, "OBJECT_ID of anything but a literal")
	}
	tokens, err := lex(one.text)
	if err != nil {
		return "", err
	}
	o, err := (&translator{session: c.t.session, tokens: tokens}).object()
	db := quote(o.database)
	return "(SELECT min(ms_o.object_id) FROM " + db + ".sys.objects AS ms_o JOIN " + db + ".sys.schemas AS ms_s ON ms_s.schema_id = ms_o.schema_id WHERE ms_o.name = " + literal(o.name) + " AND ms_s.name = " + literal(o.schema) + ")", err
}

// checksum is a number at random, as CHECKSUM(NEWID()) is.
func checksum(c *call) (string, error) {
	if x, err := c.arg(0); err != nil || x != "uuid()" {
		return "", missing(c.line, "CHECKSUM of anything but NEWID()")
	}
	return "CAST(floor(random() * 4294967296) - 2147483648 AS INTEGER)", nil
}
