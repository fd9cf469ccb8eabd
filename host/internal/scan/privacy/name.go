package privacy

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// subject is something personal or secret, and how columns of it are called.
type subject struct {
	what string
	// names are words as the analyzer folds them, joined: that of a column ends
	// with one.
	names string
	// numbers: it may be a number. Otherwise one that is called so counts or
	// refers to something.
	numbers bool
	// dates: it is a date. Otherwise one that is called so says when something
	// happened to it.
	dates bool
}

// subjects in the order in which they are tried. English and German first.
var subjects = []subject{
	{what: "an e-mail address", names: "email emailaddress emailaddr emailadresse mail mailaddress mailadresse emailid mailid correo correoelectronico courriel"},
	{what: "a password", names: "password passwd passwort kennwort passphrase pwd userpass contrasena motdepasse salt otp pin pincode totp mfasecret"},
	{what: "a secret", names: `secret clientsecret token accesstoken refreshtoken authtoken bearertoken apitoken apikey secretkey accesskey accesskeyid
		privatekey encryptionkey signingkey sshkey licensekey lizenzschlussel credential zugangsdaten sessiontoken cookie jwt webhooksecret connectionstring`},
	{what: "a name of a person", names: `firstname lastname middlename surname familyname givenname forename fullname maidenname nickname namefirst namelast
		fname lname mname username loginname login personname contactname employeename patientname guestname passengername holdername cardholder
		cardholdername accountholder recipientname sendername authorname membername contactperson contactfullname
		vorname nachname familienname geburtsname madchenname benutzername kontoinhaber ansprechpartner kontaktperson rufname
		nombre apellido apellidos prenom nomdefamille cognome`},
	{what: "a phone number", numbers: true, names: `phone phonenumber telephone tel telefon telefonnummer mobile mobilephone mobilenumber mobil mobilnummer
		handy handynummer cellphone cell fax faxnummer homephone workphone msisdn rufnummer telefono telefax`},
	{what: "a street address", names: `address addr street streetaddress streetname strasse strassenname adresse anschrift hausnummer housenumber
		addressline adresszeile direccion calle indirizzo rue`},
	{what: "a date of birth", numbers: true, dates: true, names: `birthdate dateofbirth dob birthday birth birthdt geburtsdatum geburtstag gebdat datebirth fechanacimiento datenaissance`},
	{what: "a number of a person's papers", numbers: true, names: `ssn socialsecurity socialsecuritynumber nationalid nationalidnumber nationalinsurance nino
		passport passportnumber taxid taxnumber taxidentification tin itin steuernummer steuerid steueridentifikationsnummer
		sozialversicherungsnummer svnr personalausweis personalausweisnummer ausweisnummer ausweis reisepass driverlicense driverslicense driverlicence fuhrerschein
		fuhrerscheinnummer nhsnumber medicalrecordnumber mrn krankenversichertennummer dni nif cpf curp`},
	{what: "an account or card", numbers: true, names: `iban bankaccount bankaccountnumber accountnumber accountno kontonummer kontonr bankverbindung routingnumber sortcode
		creditcard creditcardnumber cardnumber cardno ccnumber ccnum kreditkarte kreditkartennummer kartennummer cvv cvc cvv2 securitycode`},
	{what: "an address of a device", numbers: true, names: `ip ipaddress ipaddr ipv clientip remoteip sourceip srcip dstip remoteaddr userip ipadresse
		mac macaddress macaddr imei imsi idfa gaid deviceid advertisingid`},
}

// neutral words stand behind a name and say nothing else of it.
var neutral = set("number no nr num nummer value raw text txt str plain hash hashed md sha encrypted enc masked last line zeile old new current")

// people name tables of persons: a "name" there is that of one.
var people = set(`person user employee staff contact patient student teacher guest passenger member subscriber applicant candidate driver agent
	mitarbeiter benutzer nutzer kontakt ansprechpartner personal schuler lehrer mitglied gast fahrer bewerber`)

// glued are the names that are found at the end of a longer word too.
var glued = strings.Fields("email phone password passwort telefon firstname lastname surname vorname nachname")

// byName finds the subject of a joined name.
var byName = index()

func index() map[string]*subject {
	names := map[string]*subject{}
	for i := range subjects {
		for name := range strings.FieldsSeq(subjects[i].names) {
			names[name] = &subjects[i]
		}
	}
	return names
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// named returns what a column holds by its name, "" when nothing personal.
func named(column, table []string, typ sdk.Type) string {
	for words := column; len(words) > 0; words = words[:len(words)-1] {
		for i := range words {
			if s := byName[strings.Join(words[i:], "")]; s != nil && s.fits(typ) {
				return s.what
			}
		}
		last := words[len(words)-1]
		for _, name := range glued {
			if s := byName[name]; strings.HasSuffix(last, name) && s.fits(typ) {
				return s.what
			}
		}
		if !neutral[last] && !digits(last) {
			break
		}
	}
	if slices.Equal(column, []string{"name"}) && len(table) > 0 && people[table[len(table)-1]] && textual(typ) {
		return "a name of a person"
	}
	return ""
}

// fits reports whether values of a type may be of the subject.
func (s *subject) fits(typ sdk.Type) bool {
	switch typ {
	case sdk.TypeBool:
		return false
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		return s.numbers
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ, sdk.TypeTime, sdk.TypeInterval:
		return s.dates
	}
	return true
}

func textual(typ sdk.Type) bool {
	return typ == sdk.TypeText || typ == sdk.TypeUnspecified
}

func digits(word string) bool {
	return strings.Trim(word, "0123456789") == ""
}
