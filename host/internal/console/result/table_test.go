package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

// hostile are texts that a warehouse can hold.
func hostile() []string {
	return []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `{{template "token"}}`, "a\x00b", "abc\u202egpj.exe", strings.Repeat("w", 1<<20),
		`</table></div><h1>Approve all</h1>`, `javascript:alert(1)`,
	}
}

func quote(t *testing.T, s string) []byte {
	t.Helper()
	cell, valid := sdk.AppendJSONText(nil, []byte(s))
	if !valid {
		t.Fatalf("%q is no UTF-8", s)
	}
	return cell
}

func render(t *testing.T, r *Result) string {
	t.Helper()
	parsed, err := template.New("").Funcs(page.Functions()).ParseFS(templates, "template/*.html")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := parsed.ExecuteTemplate(&out, "result.table", map[string]any{"Result": r, "Caption": "Orders"}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTable(t *testing.T) {
	t.Parallel()
	table := NewTable(0)
	if err := table.Columns([]sdk.Column{{Name: "id", Type: sdk.TypeInt64, NativeType: "int8"}, {Name: "note", Type: sdk.TypeText}}); err != nil {
		t.Fatal(err)
	}
	for _, row := range [][][]byte{{[]byte("9007199254740991"), quote(t, "a <b>\n")}, {[]byte(`"9007199254740993"`), []byte("null")}, {[]byte("-1"), quote(t, "")}, {nil, quote(t, strings.Repeat("ä", 121))}} {
		if err := table.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	r := table.Result(query.Summary{RowCount: 4, Truncated: true, Elapsed: 1234567 * time.Microsecond, Notes: []string{"<i>"}})
	html := render(t, r)
	for _, want := range []string{
		`<p class="warn" role="status">First 4 rows, truncated: the statement has more. <span class="muted">1.235s</span></p>`,
		`<caption>Orders</caption>`, `<th scope="col" dir="auto" title="int8" class="num">id</th><th scope="col" dir="auto" title="text">note</th>`,
		`<td dir="auto" class="num">9007199254740993</td><td dir="auto"><span class="label label-null">NULL</span></td>`,
		"a &lt;b&gt;\n</td>", `<span class="label label-empty">empty text</span>`,
		`<details><summary>` + strings.Repeat("ä", 119) + `…</summary><pre dir="auto">` + strings.Repeat("ä", 121) + `</pre></details>`, `&lt;i&gt;`,
	} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	var twin struct {
		Rows [][]any `json:"rows"`
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &twin); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{"9007199254740993", nil}, twin.Rows[1]); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestTableOfHostileText(t *testing.T) {
	t.Parallel()
	table := NewTable(0)
	var columns []sdk.Column
	var cells [][]byte
	for _, s := range hostile() {
		columns = append(columns, sdk.Column{Name: s, NativeType: s})
		cells = append(cells, quote(t, s))
	}
	if err := table.Columns(columns); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := table.Row(cells); err != nil {
			t.Fatal(err)
		}
	}
	html := render(t, table.Result(query.Summary{}))
	for _, bad := range []string{"<script", "<img", "<h1", "\x00", `{{template "token"}}"`} {
		if strings.Contains(html, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	if strings.Count(html, "</table>") != 1 || strings.Count(html, `hidden characters`) < 2 || len(html) > DefaultBytes+20_000 {
		t.Errorf("%d bytes, %d tables", len(html), strings.Count(html, "</table>"))
	}
}

// The page stays small, whatever the statement returns, and says what it leaves out.
func TestTableIsBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name          string
		columns, rows int
		cell          string
		says          string
	}{
		{"many small", 2, 1000, "<", ""},
		{"wide", 5000, 20, "x", "First 3 rows of 20 rows; the page has no room for the others."},
		{"one long", 1, 1, strings.Repeat("&", 200_000), "All 1 row."},
		{"none", 3, 0, "", "The statement returned no row."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			table := NewTable(0)
			if err := table.Columns(make([]sdk.Column, tt.columns)); err != nil {
				t.Fatal(err)
			}
			row := make([][]byte, tt.columns)
			for i := range row {
				row[i] = quote(t, tt.cell)
			}
			for range tt.rows {
				if err := table.Row(row); err != nil {
					t.Fatal(err)
				}
			}
			r := table.Result(query.Summary{})
			html := render(t, r)
			if len(html) > 50_000 || r.Hidden != max(0, tt.columns-maxColumns) || r.RowCount != tt.rows {
				t.Errorf("%d bytes, %+v", len(html), fmt.Sprint(r.Hidden, r.RowCount))
			}
			if got := r.Says(); tt.says != "" && got != tt.says {
				t.Errorf("says %q", got)
			}
			if tt.says == "" && (len(r.Rows) < 200 || !r.Cut()) {
				t.Errorf("%d rows", len(r.Rows))
			}
		})
	}
}
