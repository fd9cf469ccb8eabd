package redact

import (
	"strings"
	"testing"
)

// phrases are what people write around secrets, each with the secret. They were written after the rules, without looking
// at them.
var phrasesOfPeople = [][2]string{
	// Sentences and notes.
	{"Hi all, new password for the staging box is Tr0ub4dor&3, please don't share", "Tr0ub4dor&3"},
	{"pwd = Sommer2026!", "Sommer2026!"},
	{"Das Passwort für den Lesezugang ist Kuchen#77", "Kuchen#77"},
	{"Kennwort: Zitrone-42-Baum", "Zitrone-42-Baum"},
	{"Passwort = geheim123", "geheim123"},
	{"Le mot de passe est Soleil!2026", "Soleil!2026"},
	{"mot de passe : b0njourParis", "b0njourParis"},
	{"Mot de passe: Fr0mage#12", "Fr0mage#12"},
	{"La contraseña es Verano*99", "Verano*99"},
	{"contraseña: M4drid-Sol!", "M4drid-Sol!"},
	{"Contrasena = p4ella!!", "p4ella!!"},
	{"passphrase: correct horse battery staple", "correct horse battery staple"},
	{"Passphrase = violet lantern", "violet lantern"},
	{"pass phrase: seven purple otters", "seven purple otters"},
	{"the ssh passphrase: 'blue moon rising 8'", "blue moon rising 8"},
	{"PIN: 4711", "4711"},
	{"The PIN is 928374.", "928374"},
	{"Die PIN lautet 0815", "0815"},
	{"code PIN : 3344", "3344"},
	{"PIN-Code: 55667", "55667"},
	{"Geheimzahl: 9081", "9081"},
	{"CVV: 123", "123"},
	// Clients of databases.
	{"mysql -h db.internal -u root -pS3cretPw shop", "S3cretPw"},
	{"mysqldump -uapp -p'x!y z9' shop > dump.sql", "x!y"},
	{"mysqldump -uapp -p'x!y z9' shop > dump.sql", "z9"},
	{"newcli --host db --user app -p Regen2026x list", "Regen2026x"}, // no program is known by its name
	{"mariadb -u loader -pWinter99 -e 'select 1'", "Winter99"},
	{"sqlcmd -S tcp:db,1433 -U sa -P Str0ng!Passw0rd", "Str0ng!Passw0rd"},
	{"bcp shop.dbo.orders out o.csv -U sa -PAbc123xyz -S db", "Abc123xyz"},
	{"redis-cli -h cache -a f00barSecret ping", "f00barSecret"},
	{"mongosh --host m1 -u admin -p tulpe88 admin", "tulpe88"},
	{"sqlplus scott/tiger99@orcl", "tiger99"},
	{"PGPASSWORD=hunter22 psql -h db -U app", "hunter22"},
	{"export MYSQL_PWD='letmein7'", "letmein7"},
	{"sshpass -p 'geheim!' ssh etl@db", "geheim!"},
	{"curl -u loader:Nacht77 https://db.example.com/x", "Nacht77"},
	{"run: clickhouse-client --user default --password qwertz12", "qwertz12"},
	// Files and addresses.
	{"db.internal:5432:shop:app:s3cr3tpw", "s3cr3tpw"},
	{"*:*:*:postgres:Postgres!1", "Postgres!1"},
	{"machine db.example.com login etl password winterzeit", "winterzeit"},
	{"jdbc:oracle:thin:scott/tiger@//db:1521/orcl", "tiger@"},
	{"jdbc:postgresql://db/shop?user=app&password=abend99", "abend99"},
	{"redis://:p4ssw0rd@cache:6379/0", "p4ssw0rd"},
	{"mongodb+srv://app:Herbst2026@cluster0.example.net/shop", "Herbst2026"},
	{"snowflake://etl:Nebel!23@acct/shop", "Nebel!23"},
}

// prose speaks of secrets and has none.
var prose = []string{
	"The password policy is strict: twelve characters at least.",
	"PIN codes are 4 digits.",
	"The PIN is 4 digits long, and the CVV 3.",
	"Passphrase: required for keys in production.",
	"The passphrase is in the vault of the team.",
	"passphrase: see the handbook for details",
	"Le mot de passe est obligatoire.",
	"Mot de passe : obligatoire",
	"La contraseña es obligatoria para todos.",
	"Das Passwort ist Pflicht. Kennwort: erforderlich",
	"A pass is a ticket; pass: yes or no.",
	"mysql -p asks for the password.",
	"mysql -h db -P 3306 -u app -p shop",
	"psql -p 5432 -U app shop",
	"redis-cli -h cache ping",
	"curl -u $USER:$PASS https://example.com",
	"sqlplus asks for a user/password pair.",
	"curl -o a:b https://example.com/a/b",
	"at 10:30:00:shop:app",
	"orders:count:by:day:month",
	"localhost:8080:tcp",
	"pin_count = 4711 and pins: 12",
	"pass_rate: 97.5",
	"The pass rate was 97.5 % and the password reset rate 1234.",
	"column pin_code holds 6 digits",
	"login password fields are hidden",
	"Token count is 128000, key length: 256",
	"map: https://example.com/a:b/c",
	"number of passes per player: sum(passes)",
	"code: 1234 means shipped",
	"see exp a/b for the import of c/d",
	// Flags that take something else.
	"mkdir -p build2dir && ssh -p 2222 etl@db",
	"rsync -a src1dir2 backup@host:/srv",
	"psql -h db -U app -w shop22",
	"psql -h db -U app -a file1.sql",
	"docker run -u 1000:1000 -p 8080:80 web1",
	"scp -P 2222 file1 etl@db:/tmp",
	"uses: actions/setup-go2@v4",
	"perl -p 's/a1/b2/' etl@db",
	"cp -p report2026x /srv",
}

func TestPhrasesOfPeople(t *testing.T) {
	t.Parallel()
	missed := 0
	for _, p := range phrasesOfPeople {
		if clean, _ := Text("Note:\n"+p[0]+"\n", []byte("salt"), nil); strings.Contains(clean, p[1]) {
			missed++
			t.Logf("missed: %s", p[0])
		}
	}
	if missed > 0 {
		t.Errorf("missed %d of %d", missed, len(phrasesOfPeople))
	}
	for _, text := range prose {
		if clean, found := Text(text, []byte("salt"), nil); clean != text {
			t.Errorf("%q became %q, %v", text, clean, found)
		}
	}
}
