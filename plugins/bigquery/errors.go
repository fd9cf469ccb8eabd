package bigquery

import (
	"errors"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"cloud.google.com/go/auth"
	"cloud.google.com/go/bigquery"
	"google.golang.org/api/googleapi"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const signIn = "run: gcloud auth application-default login, and then: loam connection test"

// reasons maps the service's own words for what is wrong.
// Source: the manual's page "Error messages".
var reasons = map[string]sqlkit.Verdict{
	"accessDenied":             sqlkit.Server(sdk.KindDenied, "ask the administrator for roles/bigquery.dataViewer on the dataset, or read something else"),
	"insufficientPermissions":  sqlkit.AskAdmin,
	"forbidden":                sqlkit.AskAdmin,
	"blocked":                  sqlkit.Server(sdk.KindDenied, "ask the administrator: the service blocks this operation"),
	"invalidUser":              sqlkit.Host(sdk.KindUnauthenticated, signIn),
	"authError":                sqlkit.Host(sdk.KindUnauthenticated, signIn),
	"required":                 sqlkit.Host(sdk.KindUnauthenticated, signIn), // a login
	"accessNotConfigured":      sqlkit.Server(sdk.KindDenied, "have the BigQuery API enabled in the project"),
	"billingNotEnabled":        sqlkit.Server(sdk.KindDenied, "have billing enabled in the project"),
	"notFound":                 sqlkit.Caller(sdk.KindNotFound, "check the names of project, dataset and table, and that the location of the connection is theirs"),
	"invalidQuery":             sqlkit.Caller(sdk.KindInvalid, "correct the statement"),
	"invalid":                  sqlkit.Caller(sdk.KindInvalid, "correct the statement, or the configuration of the connection"),
	"badRequest":               sqlkit.Caller(sdk.KindInvalid, "correct the statement, or the configuration of the connection"),
	"notImplemented":           sqlkit.Caller(sdk.KindUnsupported, "write the statement without this feature"),
	"bytesBilledLimitExceeded": sqlkit.Caller(sdk.KindLimit, "name fewer columns, filter on the partitioning column, or raise max_gib_billed of the connection"),
	"billingTierLimitExceeded": sqlkit.Caller(sdk.KindLimit, "write a statement that needs less computing"),
	"resourcesExceeded":        sqlkit.Caller(sdk.KindLimit, "select or sort less: the service ran out of memory for the statement"),
	"responseTooLarge":         sqlkit.Caller(sdk.KindLimit, "select less: the result is larger than the service sends"),
	"quotaExceeded":            sqlkit.Server(sdk.KindRateLimited, "a quota of the project is used up: wait until it is there again, or have it raised (console.cloud.google.com/iam-admin/quotas)").Final(),
	"rateLimitExceeded":        sqlkit.Server(sdk.KindRateLimited, "too many requests at once: try again in a moment"),
	"jobRateLimitExceeded":     sqlkit.Server(sdk.KindRateLimited, "too many requests at once: try again in a moment"),
	"resourceInUse":            sqlkit.Server(sdk.KindConflict, "run the statement again"),
	"stopped":                  sqlkit.Server(sdk.KindCanceled, "somebody cancelled the job: run the statement again"),
	"timeout":                  sqlkit.TimeOver,
	"backendError":             sqlkit.Gone,
	"internalError":            sqlkit.Gone,
	"jobBackendError":          sqlkit.Gone,
	"jobInternalError":         sqlkit.Gone,
	"tableUnavailable":         sqlkit.Gone,
}

// openings tell apart by its first words what the service only calls an invalidQuery.
var openings = []struct {
	words   string
	verdict sqlkit.Verdict
}{
	{"Syntax error", sqlkit.Caller(sdk.KindSyntax, "correct the statement at this place")},
	{"Unrecognized name", sqlkit.Caller(sdk.KindNotFound, "check the column's name")},
	{"Name ", sqlkit.Caller(sdk.KindNotFound, "check the column's name")}, // … not found inside …
	{"Function not found", sqlkit.Caller(sdk.KindNotFound, "check the function's name")},
	{"Table-valued function not found", sqlkit.Caller(sdk.KindNotFound, "check the function's name")},
	{"Not found", sqlkit.Caller(sdk.KindNotFound, "check the table's name, and put its dataset in front")},
	{"Query exceeded limit for bytes billed", reasons["bytesBilledLimitExceeded"]},
	{"Job timed out", sqlkit.TimeOver},
	{"Job execution was cancelled: Job timed out", sqlkit.TimeOver},
	{"Operation timed out", sqlkit.TimeOver},
}

// nativeError maps what the service, what signs in to it, or the client said. What is of
// neither the service nor the connection is an answer that the client cannot read.
func nativeError(err error) *sdk.Error {
	inner, failed := errors.AsType[final](err)
	if failed {
		err = inner.error
	}
	if known, ok := errors.AsType[*sdk.Error](err); ok { // of the signer, or of a proxy
		return known
	}
	if said, ok := errors.AsType[*bigquery.Error](err); ok { // what a job ended with
		return fromReason(said.Reason, said.Message, nil)
	}
	if said, ok := errors.AsType[*googleapi.Error](err); ok {
		reason, message := "", said.Message
		if len(said.Errors) > 0 {
			reason, message = said.Errors[0].Reason, said.Errors[0].Message
		}
		if _, known := reasons[reason]; !known {
			reason = ofStatus[said.Code]
		}
		e := fromReason(reason, message, err)
		if skew := network.Skew(said.Header); skew != "" && e.Kind == sdk.KindUnauthenticated {
			e.Msg, e.Hint = strings.TrimSuffix(e.Msg, ".")+": "+skew, network.ClockHint
		}
		return e
	}
	if _, broken := errors.AsType[net.Error](err); failed || broken {
		return sdk.AsError(network.WebError(err), sdk.SourceWarehouse)
	}
	return odd(err)
}

// ofStatus are the reasons of answers that give none that is known.
var ofStatus = map[int]string{
	http.StatusBadRequest: "badRequest", http.StatusUnauthorized: "authError", http.StatusForbidden: "forbidden", http.StatusNotFound: "notFound",
	http.StatusTooManyRequests: "rateLimitExceeded", http.StatusInternalServerError: "internalError",
	http.StatusBadGateway: "backendError", http.StatusServiceUnavailable: "backendError", http.StatusGatewayTimeout: "backendError",
}

func fromReason(reason, message string, err error) *sdk.Error {
	verdict, ok := reasons[reason]
	if !ok {
		verdict = sqlkit.Unlisted
	}
	if reason == "invalidQuery" || reason == "invalid" || reason == "badRequest" || reason == "stopped" {
		for _, o := range openings {
			if strings.HasPrefix(message, o.words) {
				verdict = o.verdict
			}
		}
	}
	e := verdict.Error(reason, message, err)
	if at := places().FindStringSubmatchIndex(message); at != nil {
		e.Pos.Line, _ = strconv.Atoi(message[at[2]:at[3]]) // digits, as many as fit a statement
		e.Pos.Column, _ = strconv.Atoi(message[at[4]:at[5]])
		e.Msg = message[:at[0]] + message[at[1]:]
	}
	return e
}

// places finds "at [3:14]", line and column from 1, in a message.
var places = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` at \[(\d+):(\d+)\]`) })

// signInError is about credentials that are not there, or that no token was given for.
func signInError(cfg *config, err error) *sdk.Error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	e := sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceHost, "Google gave no token: %w", err)
	refused, ok := errors.AsType[*auth.Error](err)
	switch _, broken := errors.AsType[*net.OpError](err); {
	case broken:
		return sdk.AsError(network.WebError(err), sdk.SourceWarehouse)
	case ok && refused.Response != nil && network.Skew(refused.Response.Header) != "":
		e.Msg = "Google gave no token: " + network.Skew(refused.Response.Header)
		return e.WithHint(network.ClockHint)
	case ok && refused.Response != nil && refused.Response.StatusCode >= http.StatusInternalServerError:
		e.Kind, e.Source, e.Retry = sdk.KindUnavailable, sdk.SourceWarehouse, true
		return e.WithHint("try again in a moment")
	case !cfg.Credentials.IsZero():
		return e.WithHint("check the service account key (credentials), which may be disabled or deleted: gcloud iam service-accounts keys list; a new one: gcloud iam service-accounts keys create")
	case cfg.Impersonate != "":
		return e.WithHint("have the account given roles/iam.serviceAccountTokenCreator on %s, or %s", cfg.Impersonate, signIn)
	}
	return e.WithHint(signIn)
}
