package query

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/cli/command"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// requestFlags are a request to the semantic layer in flags, or the file that has it.
type requestFlags struct {
	file                                                string
	measures, dimensions, filters, segments, ranges, by []string
	limit, offset                                       int
	includeEmpty, fillGaps, totals, rest                bool
	conform                                             []string
	limitPer                                            string
	timeZone, fanout                                    string
}

// requestNames are the flags that say what a file could say.
var requestNames = []string{
	"measure", "by", "where", "segment", "date-range", "order", "limit", "offset", "include-empty", "fill-gaps",
	"totals", "conform", "limit-per", "rest", "time-zone", "fanout",
}

func (f *requestFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", `read the request from a file, as JSON or YAML ("-" is standard input), instead of from flags`)
	flags.StringArrayVarP(&f.measures, "measure", "m", nil, `a measure, or an aggregate such as "sum(orders.amount) as total"; repeatable`)
	flags.StringArrayVarP(&f.dimensions, "by", "b", nil, "a dimension; a time with its period, such as orders.created_at.month; repeatable")
	flags.StringArrayVarP(&f.filters, "where", "w", nil, `a filter: a condition on rows or on measures, such as "orders.status = 'paid'"; combined by AND; repeatable`)
	flags.StringArrayVar(&f.segments, "segment", nil, "a segment to filter rows by; repeatable")
	flags.StringArrayVar(&f.ranges, "date-range", nil, `[DIMENSION=]RANGE of time to show: "last 3 months", 2025, 2025-01-01..2025-03-31; without DIMENSION the default one`)
	flags.StringArrayVar(&f.by, "order", nil, "sort key, -NAME for descending order; repeatable")
	flags.IntVar(&f.limit, "limit", request.DefaultLimit, "most rows to return")
	flags.IntVar(&f.offset, "offset", 0, "number of rows to skip")
	flags.BoolVar(&f.includeEmpty, "include-empty", false, "show dimension values without rows too")
	flags.BoolVar(&f.fillGaps, "fill-gaps", false, "show periods without rows too, between the first and the last one")
	flags.BoolVar(&f.totals, "totals", false, "add rows over all groups of the first dimensions, and one over all; the column _total marks them")
	flags.StringArrayVar(&f.conform, "conform", nil, "a name for dimensions of several sources that mean the same: region=shops.region,customers.region")
	flags.StringVar(&f.limitPer, "limit-per", "", "keep the first N groups for each value of dimensions: DIMENSION[,DIMENSION…]=N, such as region=3")
	flags.BoolVar(&f.rest, "rest", false, "add one row over the groups that the limit leaves out; the column _rest marks it")
	flags.StringVar(&f.timeZone, "time-zone", "", "time zone of days, such as Europe/Berlin (default UTC)")
	flags.StringVar(&f.fanout, "fanout", "", "a measure by a finer dimension: distinct counts each row once per group; error refuses it (default distinct)")
}

// body returns the request, in a shape that request.Normalise reads.
func (f *requestFlags) body(a *commands, cmd *cobra.Command, args []string) (json.RawMessage, error) {
	file, given := f.file, ""
	for _, name := range requestNames {
		if given == "" && cmd.Flags().Changed(name) {
			given = "--" + name
		}
	}
	switch {
	case len(args) > 1 || len(args) == 1 && args[0] != "-":
		return nil, command.Usage(cmd, "what is asked for stands behind flags, not alone: %q", args[0])
	case len(args) == 1 && file != "" && file != "-":
		return nil, command.Usage(cmd, "give the request either with --file or on standard input")
	case len(args) == 1:
		file = "-"
	}
	switch {
	case file != "" && given != "":
		return nil, command.Usage(cmd, "give the request either in a file or in flags: %s goes into the file", given)
	case file != "":
		text, err := a.readRequest(file)
		if err != nil {
			return nil, err
		}
		return requestJSON(text)
	case given == "":
		return nil, command.Usage(cmd, "nothing is asked for: give --measure, --by or --file")
	}
	return f.spell(cmd)
}

// readRequest reads a file or standard input, and no more than a request may have.
func (a *commands) readRequest(file string) (text []byte, err error) {
	from := a.term.In
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "read the request: %w", err).
				WithHint("name a file that is there and readable, or - for standard input")
		}
		defer func() { err = errors.Join(err, opened.Close()) }()
		from = opened
	}
	text, err = io.ReadAll(io.LimitReader(from, request.MaxRequestBytes+1))
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "read the request: %w", err)
	}
	return text, nil
}

// spell writes what flags say in the normal form. The shorthands of flags are
// documented ways to write it, so that reading them is worth no note.
func (f *requestFlags) spell(cmd *cobra.Command) (json.RawMessage, error) {
	body := map[string]any{}
	for key, all := range map[string][]string{
		"measures": f.measures, "dimensions": f.dimensions, "filters": f.filters, "segments": f.segments, "order_by": f.by,
	} {
		if all != nil {
			body[key] = all
		}
	}
	for _, r := range f.ranges {
		ranges, _ := body["date_ranges"].([]any)
		body["date_ranges"] = append(ranges, rangeOf(r))
	}
	for name, value := range map[string]any{
		"limit": f.limit, "offset": f.offset, "include-empty": f.includeEmpty, "fill-gaps": f.fillGaps,
		"totals": f.totals, "rest": f.rest, "time-zone": f.timeZone, "fanout": f.fanout,
	} {
		if cmd.Flags().Changed(name) {
			body[strings.ReplaceAll(name, "-", "_")] = value
		}
	}
	for _, text := range f.conform {
		name, members, ok := strings.Cut(text, "=")
		if !ok {
			return nil, command.Usage(cmd, "--conform %q does not say what the name stands for: write it as NAME=DIMENSION,DIMENSION", text)
		}
		all, _ := body["conform"].(map[string]any)
		if all == nil {
			all = map[string]any{}
		}
		all[name] = strings.Split(members, ",")
		body["conform"] = all
	}
	if cmd.Flags().Changed("limit-per") {
		at := strings.LastIndexByte(f.limitPer, '=')
		if at < 0 {
			return nil, command.Usage(cmd, "--limit-per %q does not say how many: write it as DIMENSION=N", f.limitPer)
		}
		body["limit_per"] = map[string]any{"by": strings.Split(f.limitPer[:at], ","), "n": f.limitPer[at+1:]}
	}
	for _, text := range slices.Concat(f.measures, f.dimensions, f.filters, f.segments, f.ranges, f.by, f.conform, []string{f.timeZone, f.fanout, f.limitPer}) {
		if !utf8.ValidString(text) { // JSON would make another text of it
			return nil, command.Usage(cmd, "%q is no UTF-8", text)
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	request, _, err := request.Normalise(text)
	if err != nil {
		return nil, err
	}
	return json.Marshal(request)
}

// rangeOf reads [DIMENSION=]RANGE. A range has no equals sign, and a quoted name
// that has one stands before the last.
func rangeOf(text string) map[string]any {
	r := map[string]any{}
	if at := strings.LastIndexByte(text, '='); at >= 0 {
		r["field"], text = text[:at], text[at+1:]
	}
	from, to, both := strings.Cut(text, "..")
	if !both {
		r["relative"] = text
		return r
	}
	for key, end := range map[string]string{"from": from, "to": to} {
		if end != "" {
			r[key] = end
		}
	}
	return r
}
