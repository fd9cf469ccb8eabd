package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	hexDigits = "0123456789abcdef"
	upperBase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	urlSafe   = letters + "-_"
	printable = letters + "!#$%*+-_?~^"
)

func draw(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// secrets makes secrets of every kind that people paste. They are drawn here, so that the
// source has none; prefixes are written in two parts for the same reason.
func secrets(r *rand.Rand) (all [][2]string) {
	add := func(kind string, parts ...string) { all = append(all, [2]string{kind, strings.Join(parts, "")}) }
	for range 2 {
		add("aws_access_key", "AK", "IA", draw(r, upperBase, 16))
		add("aws_access_key", "AS", "IA", draw(r, upperBase, 16))
		for _, p := range []string{"p", "o", "u", "s", "r"} {
			add("github_token", "gh", p, "_", draw(r, letters, 36))
		}
		add("github_token", "github", "_pat_", draw(r, letters, 22), "_", draw(r, letters, 59))
		add("gitlab_token", "gl", "pat-", draw(r, urlSafe, 20))
		add("gitlab_token", "gl", "rt-", draw(r, urlSafe, 20))
		add("slack_token", "xo", "xb-", draw(r, "123456789", 12), "-", draw(r, "123456789", 12), "-", draw(r, letters, 24))
		add("slack_token", "xo", "xp-", draw(r, "123456789", 12), "-", draw(r, hexDigits, 32))
		add("slack_token", "xa", "pp-1-A", draw(r, upperBase, 10), "-", draw(r, "123456789", 13), "-", draw(r, hexDigits, 64))
		add("stripe_key", "sk_", "live_", draw(r, letters, 24))
		add("stripe_key", "rk_", "test_", draw(r, letters, 99))
		add("anthropic_key", "sk-", "ant-api03-", draw(r, urlSafe, 93), "AA")
		add("openai_key", "sk-", "proj-", draw(r, urlSafe, 74))
		add("openai_key", "sk", "-", draw(r, letters, 48))
		add("google_key", "AI", "za", draw(r, urlSafe, 35))
		add("google_secret", "GOC", "SPX-", draw(r, urlSafe, 28))
		add("google_token", "ya", "29.", draw(r, urlSafe, 120))
		add("sendgrid_key", "S", "G.", draw(r, urlSafe, 22), ".", draw(r, urlSafe, 43))
		add("npm_token", "np", "m_", draw(r, letters, 36))
		add("pypi_token", "py", "pi-AgEIcHlwaS5vcmc", draw(r, urlSafe, 120))
		add("rubygems_key", "ruby", "gems_", draw(r, hexDigits, 48))
		add("docker_token", "dckr", "_pat_", draw(r, urlSafe, 27))
		add("digitalocean_token", "dop", "_v1_", draw(r, hexDigits, 64))
		add("huggingface_token", "h", "f_", draw(r, letters, 34))
		add("databricks_token", "da", "pi", draw(r, hexDigits, 32))
		add("shopify_token", "shp", "at_", draw(r, hexDigits, 32))
		add("square_token", "sq0", "csp-", draw(r, urlSafe, 43))
		add("linear_key", "lin", "_api_", draw(r, letters, 40))
		add("notion_token", "nt", "n_", draw(r, letters, 46))
		add("airtable_token", "pa", "t", draw(r, letters, 14), ".", draw(r, hexDigits, 64))
		add("atlassian_token", "ATA", "TT3", draw(r, urlSafe, 180), "=", draw(r, "ABCDEF0123456789", 8))
		add("figma_token", "fi", "gd_", draw(r, urlSafe, 40))
		add("newrelic_key", "NR", "AK-", draw(r, upperBase+"0189", 27))
		add("grafana_token", "gl", "sa_", draw(r, letters, 32), "_", draw(r, hexDigits, 8))
		add("pulumi_token", "pu", "l-", draw(r, hexDigits, 40))
		add("vault_token", "hv", "s.", draw(r, urlSafe, 90))
		add("doppler_token", "dp.", "pt.", draw(r, letters, 43))
		add("postman_key", "PM", "AK-", draw(r, hexDigits, 24), "-", draw(r, hexDigits, 34))
		add("planetscale_token", "pscale", "_tkn_", draw(r, urlSafe, 43))
		add("supabase_key", "sb", "p_", draw(r, hexDigits, 40))
		add("groq_key", "gs", "k_", draw(r, letters, 52))
		add("replicate_token", "r", "8_", draw(r, letters, 37))
		add("telegram_token", "AA", draw(r, urlSafe, 33))
		add("terraform_token", draw(r, letters, 14), ".atlas", "v1.", draw(r, urlSafe, 64))
		add("azure_secret", draw(r, letters, 3), "8", "Q~", draw(r, urlSafe, 34))
		add("brevo_key", "xkey", "sib-", draw(r, hexDigits, 64), "-", draw(r, letters, 16))
		add("loam_token", "loam", "_", draw(r, upperBase, 26))
		add("jwt", "eyJhbGciOiJIUzI1NiJ9", ".", draw(r, urlSafe, 60), ".", draw(r, urlSafe, 43))
		add("slack_webhook", "hooks.slack", ".com/services/T", draw(r, upperBase, 8), "/B", draw(r, upperBase, 8), "/", draw(r, letters, 24))
		add("discord_webhook", "discord.com", "/api/webhooks/", draw(r, "123456789", 18), "/", draw(r, urlSafe, 68))
		add("pem", "-----BEGIN RSA PRIVATE", " KEY-----\n", draw(r, letters, 64), "\n", draw(r, letters, 30), "\n-----END RSA PRIVATE", " KEY-----")
	}
	return all
}

// assigned makes texts that call a value a secret; the value is the second of each.
func assigned(r *rand.Rand) (all [][2]string) {
	add := func(format, value string) { all = append(all, [2]string{fmt.Sprintf(format, value), value}) }
	for range 4 {
		add("password: %s in the old script", "hunter"+draw(r, "0123456789", 2))
		add("DB_PASSWORD=%s", draw(r, printable, 14))
		add(`"password": %q,`, draw(r, letters, 12))
		add("Server=db;Uid=app;Pwd=%s;Port=5432", draw(r, letters, 12))
		add("ALTER ROLE app PASSWORD '%s'", draw(r, printable, 12))
		add("the password is %s", draw(r, letters, 12)+"7")
		add("pw: %s", "hunter"+draw(r, "0123456789", 2))
		add("PW=%s", draw(r, letters, 10)+"4!")
		add("Das Kennwort lautet %s", draw(r, letters, 9)+"7")
		add("Passwort: %s.", draw(r, letters, 12)+"x9")
		add("run it with --password %s --host db", draw(r, letters, 10))
		add("<password>%s</password>", draw(r, letters, 16))
		add("api_key = %s", draw(r, hexDigits, 31)+"a")
		add("API key: %s", draw(r, letters, 32))
		add("client_secret: '%s'", draw(r, urlSafe, 40))
		add("aws_secret_access_key = %s", draw(r, letters+"+/", 40))
		add("AccountKey=%s", draw(r, letters+"+/", 86)+"==")
		add("Authorization: Bearer %s", draw(r, letters, 40))
		add("https://api.example.com/v1?token=%s&page=2", draw(r, letters, 24))
		add("spring.datasource.password=%s", draw(r, letters, 12))
		add("postgres://app:%s@db:5432/shop", draw(r, letters, 12))
		add("mysql://root:%s@db/shop", draw(r, printable, 12))
		add("https://user:%s@example.com/x.git", draw(r, letters, 5)+"/"+draw(r, letters, 5))
		add("git clone https://%s@example.com/x.git", draw(r, letters, 24))
	}
	return all
}

func TestRecallOfPlantedSecrets(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 11))
	total, missed := 0, []string{}
	check := func(text, secret string) {
		total++
		clean, found := Text(text, []byte("salt"), nil)
		if strings.Contains(clean, secret) || len(found) == 0 {
			missed = append(missed, text)
		}
	}
	for i, s := range secrets(r) {
		for _, text := range []string{"The job uses " + s[1] + ", ask finance.", "key:\n- " + s[1] + "\n", "`" + s[1] + "`", "(" + s[1] + ")."} {
			if s[0] == "telegram_token" {
				text = strings.Replace(text, s[1], draw(r, "123456789", 9)+":"+s[1], 1)
			}
			check(text, s[1])
		}
		if _, found := Text(s[1], nil, nil); i < 120 && s[0] != "telegram_token" && (len(found) != 1 || found[0] != (Finding{s[0], 1})) {
			t.Errorf("%s is found as %v", s[0], found)
		}
	}
	for _, a := range assigned(r) {
		check("Note. "+a[0], a[1])
	}
	t.Logf("%d of %d planted secrets found", total-len(missed), total)
	if total < 120 || len(missed)*100 > total*5 {
		t.Errorf("missed %d of %d:\n%s", len(missed), total, strings.Join(missed, "\n"))
	}
	for _, text := range missed {
		t.Logf("missed: %s", text)
	}
}

func TestNoIdentifierIsASecret(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 5))
	nouns := strings.Fields(`order customer amount token secret password key status created paid subscription event session id at cents count
		rate net gross refund ghp sk hf api access region segment line item primary foreign user hash sha rotation policy pat npm`)
	word := func() string { return nouns[r.IntN(len(nouns))] }
	kinds := []func() string{
		func() string { return word() + "_" + word() + "_" + word() },
		func() string { return word() + "_" + word() + fmt.Sprint(r.IntN(9)) },
		func() string { return word() + "-" + word() + "-" + word() + "-" + word() },
		func() string { return "analytics." + word() + "s." + word() + "_id" },
		func() string { w := word(); return word() + strings.ToUpper(w[:1]) + w[1:] + "Id" },
		func() string { return draw(r, hexDigits, []int{8, 12, 16, 32, 40, 56, 64, 128}[r.IntN(8)]) },
		func() string { return "sha256:" + draw(r, hexDigits, 64) },
		func() string {
			return draw(r, hexDigits, 8) + "-" + draw(r, hexDigits, 4) + "-4" + draw(r, hexDigits, 3) + "-a" + draw(r, hexDigits, 3) + "-" + draw(r, hexDigits, 12)
		},
		func() string { return fmt.Sprint(r.Int64()) },
		func() string { return fmt.Sprintf("%.6f", r.Float64()*1e6) },
		func() string { return "0x" + draw(r, hexDigits, 16) },
		func() string { return "/data/" + word() + "/" + word() + "_2026.parquet" },
		func() string { return "s3://bucket/" + word() + "/" + draw(r, hexDigits, 32) + ".csv" },
		func() string { return "arn:aws:iam::123456789012:role/" + word() },
		func() string { return "ORD-" + fmt.Sprint(r.IntN(1e6)) },
		func() string { return draw(r, strings.ToUpper(letters[26:52])+"0123456789", 26) }, // ULIDs
		func() string { return "aGVsbG8gd29ybGQgb2Yg" + draw(r, "abcdefghij", 12) },
	}
	frames := []string{
		"%s", "the column %s is in cents", "%s: one per order", "key: %s", "id = '%s'", "primary key: %s", "sort_key = %s",
		"password_hash: %s", "token_id = %s", "secret_name: %s", "`%s` means paid", "sum(%s) / 100", "https://host:8443/x/%s", "token_count: %s",
	}
	for range 10_000 {
		text := fmt.Sprintf(frames[r.IntN(len(frames))], kinds[r.IntN(len(kinds))]())
		if clean, found := Text(text, []byte("salt"), nil); clean != text || found != nil {
			t.Errorf("%q became %q", text, clean)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	hash := func(secret string) string { return mark([]byte("salt"), secret) }
	for _, c := range []struct {
		name, text, want string
		found            []Finding
	}{
		{"nothing", "Churn excludes trials.", "Churn excludes trials.", nil},
		{
			"the example of the specification", "password: hunter2 in postgres://u:p@h/db",
			"password: [redacted:password:" + hash("hunter2") + "] in postgres://u:[redacted:url_password:" + hash("p") + "]@h/db",
			[]Finding{{"password", 1}, {"url_password", 1}},
		},
		{"a sentence about passwords", "The password is never stored. Password: required. password: varchar(255)", "The password is never stored. Password: required. password: varchar(255)", nil},
		{"a reference", "password: env:DB_PASSWORD, ${DB_PASSWORD}, token: $TOKEN and secret = file:/run/secrets/x", "password: env:DB_PASSWORD, ${DB_PASSWORD}, token: $TOKEN and secret = file:/run/secrets/x", nil},
		{"a port before an at", "https://db:8080/a@b", "https://db:8080/a@b", nil},
		{"a comparison", "where token = password and secret == other", "where token = password and secret == other", nil},
		{
			"a block without an end", "-----BEGIN PRIVATE KEY-----\nMIIabc\n\nThen a sentence.", "[redacted:pem:" + hash("-----BEGIN PRIVATE KEY-----\nMIIabc\n") + "]\nThen a sentence.",
			[]Finding{{"pem", 1}},
		},
		{
			"a block in JSON", `{"private_key": "-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----\n", "a": 1}`,
			`{"private_key": "[redacted:pem:` + hash(`-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----`) + `]\n", "a": 1}`, []Finding{{"pem", 1}},
		},
		{"what was redacted", "password: [redacted:password:ab12]", "password: [redacted:password:ab12]", nil},
		{"beyond ASCII", "パスワード password: hünter2!", "パスワード password: [redacted:password:" + hash("hünter2") + "]!", []Finding{{"password", 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clean, found := Text(c.text, []byte("salt"), nil)
			if diff := cmp.Diff(c.want, clean); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.found, found); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKnownSecretsGoFirst(t *testing.T) {
	t.Parallel()
	known := func(s string) string { return strings.ReplaceAll(s, "tulip garden", "[redacted]") }
	clean, found := Text("say tulip garden, password: tulip garden", nil, known)
	if clean != "say [redacted], password: [redacted]" || !cmp.Equal(found, []Finding{{"known", 2}}) {
		t.Errorf("%q, %v", clean, found)
	}
}

// TestCostIsLinear: texts that look like the beginning of a secret everywhere are read
// once per alphabet, not once per place.
func TestCostIsLinear(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"eyJ.", "sk-", "password=", "-----BEGIN ", "://a:", "a.b-", "key key:", "-----BEGIN X\n-----END ", "xoxb-1", "ya29.", "bearer ", "thin:a", "mysql -u ", "a:5432:", "passphrase: ab ", "login password "} {
		text := strings.Repeat(piece, (1<<20)/len(piece))
		Text(text, nil, nil) // quadratic cost would never end
	}
}

func FuzzText(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range secrets(r)[:40] {
		f.Add("x " + s[1] + " y")
	}
	for _, a := range assigned(r) {
		f.Add(a[0])
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, found := Text(text, []byte("salt"), nil)
		if (clean == text) != (found == nil) {
			t.Errorf("%q became %q with %v", text, clean, found)
		}
		if again, more := Text(clean, []byte("salt"), nil); len(more) > 0 && len(more) == len(found) && again == clean {
			t.Errorf("%q is redacted without end", clean)
		}
	})
}
