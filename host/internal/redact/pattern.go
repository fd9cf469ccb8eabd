package redact

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// alphabet is a set of bytes that a kind of secret is written in.
type alphabet uint8

const (
	hexadecimal alphabet = iota // in lower case
	base32                      // upper-case letters and 2 to 7
	base62                      // letters and digits
	words                       // base62 and _
	base64URL                   // words and -
	dotted                      // base64URL and .
	padded                      // base64: base62, +, /, =, and -, _, .
	solid                       // what is no white space, quote or angle bracket
	alphabets
)

// members are the alphabets of each byte, a bit for each.
var members = func() (table [256]uint16) {
	add := func(chars string, all ...alphabet) {
		for i := range len(chars) {
			for _, a := range all {
				table[chars[i]] |= 1 << a
			}
		}
	}
	add("abcdef", hexadecimal)
	add("0123456789", hexadecimal, base62, words, base64URL, dotted, padded)
	add("ABCDEFGHIJKLMNOPQRSTUVWXYZ", base32)
	add("234567", base32)
	add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", base62, words, base64URL, dotted, padded)
	add("_", words, base64URL, dotted, padded)
	add("-", base64URL, dotted, padded)
	add(".", dotted, padded)
	add("+/=", padded)
	for c := byte('!'); c < 0x7f; c++ {
		if !strings.ContainsRune("\"'`<>", rune(c)) {
			add(string(c), solid)
		}
	}
	for c := 0x80; c < 0x100; c++ {
		table[c] |= 1 << solid
	}
	return table
}()

// form is how a provider writes its secrets: one of some prefixes, and behind it a run of
// an alphabet. A run must also look random, so that sk_test_customers is a name.
type form struct {
	kind, prefixes string
	alphabet       alphabet
	least, most    int // bytes behind the prefix; most 0 = any number
}

// forms as the providers' documentation and their tokens have them. A checksum inside of a
// token is not asked: one with a typing error is still nearly the secret.
var forms = []form{
	{"aws_access_key", "AKIA ASIA ABIA ACCA", base32, 16, 16},
	{"github_token", "ghp_ gho_ ghu_ ghs_ ghr_", base62, 36, 251},
	{"github_token", "github_pat_", words, 40, 255},
	{"gitlab_token", "glpat- gldt- glrt- glptt- glcbt- gloas- glsoat- glft- glagent-", dotted, 20, 300},
	{"slack_token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe.xoxp- xapp-", base64URL, 20, 300},
	{"slack_webhook", "hooks.slack.com/services/ hooks.slack.com/workflows/", padded, 30, 200},
	{"discord_webhook", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", padded, 60, 200},
	{"stripe_key", "sk_live_ sk_test_ rk_live_ rk_test_", base62, 16, 250},
	{"webhook_secret", "whsec_", padded, 32, 100},
	{"anthropic_key", "sk-ant-", base64URL, 32, 250},
	{"openai_key", "sk-proj- sk-svcacct- sk-admin-", base64URL, 32, 250},
	{"openrouter_key", "sk-or-v1-", hexadecimal, 64, 64},
	{"openai_key", "sk-", base62, 40, 64},
	{"google_key", "AIza", base64URL, 35, 35},
	{"google_secret", "GOCSPX-", base64URL, 28, 28},
	{"google_token", "ya29.", dotted, 40, 0},
	{"sendgrid_key", "SG.", dotted, 60, 70},
	{"npm_token", "npm_", base62, 36, 36},
	{"pypi_token", "pypi-AgE", base64URL, 50, 0},
	{"rubygems_key", "rubygems_", hexadecimal, 48, 48},
	{"docker_token", "dckr_pat_ dckr_oat_", base64URL, 27, 60},
	{"digitalocean_token", "dop_v1_ doo_v1_ dor_v1_", hexadecimal, 64, 64},
	{"heroku_key", "HRKU-", base64URL, 36, 100},
	{"huggingface_token", "hf_ api_org_", base62, 34, 40},
	{"databricks_token", "dapi", hexadecimal, 32, 32},
	{"shopify_token", "shpat_ shpca_ shppa_ shpss_", base62, 32, 40},
	{"square_token", "sq0atp- sq0csp- sq0idp-", base64URL, 22, 60},
	{"linear_key", "lin_api_ lin_oauth_", base62, 32, 64},
	{"notion_token", "ntn_", base62, 40, 60},
	{"airtable_token", "pat", dotted, 79, 79},
	{"atlassian_token", "ATATT3 ATCTT3 ATBB", padded, 24, 300},
	{"figma_token", "figd_ figdr_", base64URL, 40, 60},
	{"newrelic_key", "NRAK- NRJS- NRII-", base64URL, 19, 60},
	{"grafana_token", "glc_ glsa_", padded, 32, 500},
	{"sentry_token", "sntrys_ sntryu_", padded, 40, 500},
	{"pulumi_token", "pul-", hexadecimal, 40, 40},
	{"vault_token", "hvs. hvb. hvr.", base64URL, 24, 300},
	{"doppler_token", "dp.pt. dp.st. dp.sa. dp.ct.", dotted, 40, 80},
	{"postman_key", "PMAK-", base64URL, 59, 59},
	{"dynatrace_token", "dt0c01. dt0s01. dt0s16.", dotted, 60, 120},
	{"planetscale_token", "pscale_tkn_ pscale_pw_ pscale_oauth_", dotted, 32, 64},
	{"supabase_key", "sbp_ sb_secret_", base64URL, 30, 60},
	{"netlify_token", "nfp_ nfc_", base62, 36, 60},
	{"groq_key", "gsk_", base62, 40, 80},
	{"xai_key", "xai-", base62, 70, 100},
	{"perplexity_key", "pplx-", base62, 40, 64},
	{"replicate_token", "r8_", base62, 37, 40},
	{"dbt_token", "dbtc_ dbtu_ dbts_", padded, 30, 80},
	{"age_key", "AGE-SECRET-KEY-1", base62, 58, 58},
	{"tailscale_key", "tskey-", base64URL, 20, 100},
	{"onepassword_token", "ops_eyJ", padded, 100, 0},
	{"mapbox_token", "sk.eyJ", dotted, 60, 200},
	{"brevo_key", "xkeysib- xsmtpsib-", base64URL, 60, 100},
	{"easypost_key", "EZAK EZTK", base62, 54, 54},
	{"telegram_token", "AA", base64URL, 33, 33},
	{"loam_token", "loam_", base32, 26, 26},
	{"jwt", "eyJ", dotted, 30, 0},
}

// entry is one prefix of a form.
type entry struct {
	prefix string
	form   *form
}

// byFirst are the prefixes by their first byte.
var byFirst = func() (table [256][]entry) {
	for i := range forms {
		for _, prefix := range strings.Fields(forms[i].prefixes) {
			table[prefix[0]] = append(table[prefix[0]], entry{prefix, &forms[i]})
		}
	}
	return table
}()

// provider returns the end of a provider's secret that begins at i.
func (f *finder) provider(i int) (kind string, end int) {
	for _, p := range byFirst[f.text[i]] {
		if !strings.HasPrefix(f.text[i:], p.prefix) {
			continue
		}
		from := i + len(p.prefix)
		end := f.run(from, p.form.alphabet)
		if end > from && f.text[end-1] == '.' {
			end-- // of the sentence
		}
		run := f.text[from:end]
		if len(run) < p.form.least || p.form.most > 0 && len(run) > p.form.most || end < len(f.text) && letterOrDigit(f.text[end]) {
			continue
		}
		if p.form.kind == "jwt" && !webToken(f.text[i:end]) || p.form.kind == "telegram_token" && !f.botNumber(i) || !random(run) {
			continue
		}
		return p.form.kind, end
	}
	return "", 0
}

// random reports whether a run has letters and digits that change places as they do not
// in names: snake_case_2 has one change. Its beginning decides.
func random(run string) bool {
	run = run[:min(len(run), maxValue)]
	changes, digits, letters := 0, 0, 0
	var seen [256]bool
	distinct := 0
	for i := range len(run) {
		if !seen[run[i]] {
			seen[run[i]] = true
			distinct++
		}
		switch classOf(run[i]) {
		case digit:
			digits++
		case upper, lower:
			letters++
		}
		if i > 0 && classOf(run[i]) != classOf(run[i-1]) && classOf(run[i]) != other && classOf(run[i-1]) != other {
			changes++
		}
	}
	return digits > 0 && letters > 0 && distinct >= min(8, len(run)) && changes*10 >= len(run)
}

// class of a byte.
type class uint8

const (
	other class = iota
	lower
	upper
	digit
)

func classOf(c byte) class {
	switch {
	case 'a' <= c && c <= 'z':
		return lower
	case 'A' <= c && c <= 'Z':
		return upper
	case '0' <= c && c <= '9':
		return digit
	}
	return other
}

// webToken reports whether a text is a JSON web token: parts, the first of which is a
// header that names an algorithm.
func webToken(text string) bool {
	header, rest, ok := strings.Cut(text[:min(len(text), 4*maxValue)], ".")
	if !ok || rest == "" {
		return false
	}
	decoded, err := base64.RawURLEncoding.DecodeString(header)
	var fields map[string]any
	if err != nil || json.Unmarshal(decoded, &fields) != nil {
		return false
	}
	_, signed := fields["alg"]
	return signed
}

// botNumber reports whether the number of a bot and a colon stand before i.
func (f *finder) botNumber(i int) bool {
	const least = 8
	if i <= least || f.text[i-1] != ':' {
		return false
	}
	for _, c := range []byte(f.text[i-1-least : i-1]) {
		if classOf(c) != digit {
			return false
		}
	}
	return true
}

// infixed returns the end of a secret that is known by a mark inside of it.
func (f *finder) infixed(i int) (kind string, end int) {
	const terraform, azure = ".atlasv1.", "Q~"
	head := f.rest(i, 14+len(terraform))
	switch {
	case strings.HasSuffix(head, terraform) && len(head) == 14+len(terraform):
		if end = f.run(i, dotted); end-i > 60 {
			return "terraform_token", end
		}
	case len(head) > 6 && head[4:6] == azure && classOf(head[3]) == digit:
		if end = f.run(i, solid); end-i >= 34 && end-i <= 44 {
			return "azure_secret", end
		}
	}
	return "", 0
}
