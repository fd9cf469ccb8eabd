package snowflake

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// harmless are the privileges of a reader; on a database, a schema, a warehouse or a
// function USAGE alone changes nothing.
var harmless = []string{"USAGE", "SELECT", "REFERENCES", "MONITOR", "MONITOR USAGE", "IMPORTED PRIVILEGES", "READ", "REFERENCE_USAGE"}

const (
	// maxRoles is how many roles that one includes are looked at.
	maxRoles = 100
	// maxRights is how many privileges a warning names.
	maxRights = 10
)

// grants finds what a role, those it includes and PUBLIC may do beyond reading. A role
// that cannot be looked at has such a right: nobody knows.
func (r *reading) grants(ctx context.Context, role string) ([]sdk.Diagnostic, error) {
	if role == "" {
		return []sdk.Diagnostic{warning("the session has no role", "set role in the connection's configuration")}, nil
	}
	roles := []string{"ROLE " + quote(role), `ROLE "PUBLIC"`}
	found := map[string][]string{} // privileges, and what they are on
	var unknown []string
	for i := 0; i < len(roles) && i < maxRoles; i++ {
		err := r.show(ctx, "SHOW GRANTS TO "+roles[i], func(at map[string]string) error {
			privilege, on := strings.ToUpper(at["privilege"]), strings.ToUpper(at["granted_on"])
			switch {
			case strings.HasSuffix(on, "ROLE") && privilege == "USAGE":
				if next := strings.ReplaceAll(on, "_", " ") + " " + included(on, at["name"]); !slices.Contains(roles, next) {
					roles = append(roles, next)
				}
			case !slices.Contains(harmless, privilege):
				found[privilege] = append(found[privilege], strings.ToLower(on)+" "+at["name"])
			}
			return nil
		})
		if e := r.s.native(err); e != nil && (e.Kind == sdk.KindDenied || e.Kind == sdk.KindNotFound) {
			unknown = append(unknown, roles[i])
		} else if err != nil {
			return nil, err
		}
	}
	var rights []sdk.Diagnostic
	if len(unknown) > 0 || len(roles) > maxRoles {
		rights = append(rights, warning("not all rights of the role are known: "+strings.Join(append(unknown, roles[min(maxRoles, len(roles)):]...), ", "),
			"have the administrator look at SHOW GRANTS TO these"))
	}
	if summary := rightsOf(found); summary != "" {
		rights = append(rights, warning("the role may do more than read: "+summary,
			fmt.Sprintf("use a role that has nothing but USAGE and SELECT; this one is %s", role)))
	}
	return rights, nil
}

// included is the name of a role as SHOW GRANTS has it: one of a database has the
// database in front, quoted where it must be.
func included(on, name string) string {
	if strings.Contains(name, `"`) || on == "DATABASE_ROLE" {
		return name
	}
	return quote(name)
}

func rightsOf(found map[string][]string) string {
	var list []string
	for privilege, on := range found {
		text := privilege + " on " + on[0]
		if len(on) > 1 {
			text += fmt.Sprintf(" and %d more", len(on)-1)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	if more := len(list) - maxRights; more > 0 {
		list = append(list[:maxRights], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, ", ")
}

func warning(summary, detail string) sdk.Diagnostic {
	return sdk.Diagnostic{Severity: sdk.SeverityWarning, Path: "role", Summary: summary, Detail: detail}
}

// newReader creates a user that can read a database, with a role of its own.
func newReader(database, warehouse string) []string {
	statements := []string{
		"CREATE ROLE LOAM_READER",
		"GRANT USAGE ON WAREHOUSE " + warehouse + " TO ROLE LOAM_READER",
		"GRANT USAGE ON DATABASE " + database + " TO ROLE LOAM_READER",
		"GRANT USAGE ON ALL SCHEMAS IN DATABASE " + database + " TO ROLE LOAM_READER",
		"GRANT USAGE ON FUTURE SCHEMAS IN DATABASE " + database + " TO ROLE LOAM_READER",
	}
	for _, kind := range []string{"TABLES", "VIEWS", "MATERIALIZED VIEWS", "EXTERNAL TABLES", "DYNAMIC TABLES"} {
		for _, which := range []string{"ALL", "FUTURE"} {
			statements = append(statements, fmt.Sprintf("GRANT SELECT ON %s %s IN DATABASE %s TO ROLE LOAM_READER", which, kind, database))
		}
	}
	return append(statements,
		"CREATE USER LOAM_READER TYPE = SERVICE DEFAULT_ROLE = LOAM_READER DEFAULT_SECONDARY_ROLES = () RSA_PUBLIC_KEY = '<public key>'",
		"GRANT ROLE LOAM_READER TO USER LOAM_READER",
	)
}
