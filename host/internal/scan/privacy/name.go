package privacy

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// subject is something personal or secret, and how columns of it are called.
type subject struct {
	what string
	// names are joined words; that of a column ends with one.
	names string
	// numbers: it may be a number. Otherwise one that is called so counts or
	// refers to something.
	numbers bool
	// dates: it is a date. Otherwise one that is called so says when something
	// happened to it.
	dates bool
	// codes: its codes tell as much. Otherwise a code refers to it.
	codes bool
}

// subjects in the order in which they are tried: English, German, French, Spanish.
var subjects = []subject{
	{what: "an e-mail address", names: `email emailaddress emailaddr emailadresse emailadr mail mailaddress mailadresse mailaddr mailadr emailid mailid eml smtpaddr smtpaddress epost
		correo correoelectronico correoelec courrielelec email direccioncorreo direccionemail direccioncorreoelectronico courriel courrielpro adresseemail adressemail adressecourriel adresseelectronique`},
	{what: "a password", names: `password passwd passwort kennwort passphrase pwd userpass contraseña clavesecreta claveacceso motdepasse motpasse mdp salt otp pin pincode totp mfasecret
		passcode recoverycode securityanswer secretanswer codeconfidentiel sicherheitsantwort`},
	{what: "a secret", names: `secret clientsecret token accesstoken refreshtoken authtoken bearertoken apitoken apikey secretkey accesskey accesskeyid
		privatekey encryptionkey signingkey sshkey licensekey lizenzschlüssel credential zugangsdaten sessiontoken cookie jwt webhooksecret connectionstring
		apischlüssel geheimnis geheim cléapi cléprivée clésecrète secreto jeton claveapi claveprivada`},
	{what: "a name of a person", names: `firstname lastname middlename surname familyname givenname forename fullname maidenname nickname namefirst namelast
		fname lname mname username loginname login logon personname contactname employeename patientname guestname passengername holdername cardholder
		cardholdername accountholder recipientname sendername authorname membername contactperson contactfullname personalname preferredname birthname namesuffix initials
		firstnm lastnm frstnm lstnm
		vorname vornamen nachname familienname zuname geburtsname mädchenname ledigenname vollname benutzername nutzername anmeldename kontoinhaber kontoinh ansprechpartner kontaktperson rufname vname nname
		vorn nachn initialen sachbearbeiter sachbearbeiterin bearbeiter kundenbetreuer betreuer unterzeichner unterschrift nachvorname vornachname namevorname erziehungsberechtigter
		nombre apellido apellidos primernombre segundonombre primerapellido segundoapellido apellidopaterno apellidomaterno apepaterno apematerno nombrecompleto nombreapellido nombreapellidos nombreyapellido nombreyapellidos
		nombrepila nombreusuario nombredeusuario titularcuenta apodo personacontacto
		prénom prénoms nomprénom nometprénom prénomnom nomfamille nomdefamille nomusuel nomusage nommarital nomnaissance nomdenaissance nomjeunefille nompatronymique nomcomplet nomutilisateur titulairecompte
		nextofkin nextkin emergencycontact notfallkontakt personneurgence contactourgence contactoemergencia tutorlegal
		interlocuteur personnecontact surnom patronyme cognome
		createdby updatedby modifiedby changedby enteredby erstelltvon geändertvon angelegtvon creadopor modificadopor crééepar créépar modifiépar`},
	{what: "a phone number", numbers: true, names: `phone phonenumber telephone tel telefon telefonnummer mobile mobilephone mobilenumber mobil mobilnummer
		handy handynummer cellphone cellular cell fax faxnummer homephone workphone msisdn rufnummer telefono telefax phoneno phonenr phnno phoneext phno contactnumber contactno landline whatsapp whatapp
		telefonnr telnr telno telnummer mobilnr mobiltelefon mobilfunk mobilfunknummer festnetz festnetznummer durchwahl handynr rufnr faxnr telf tlf
		téléphone télécopie numtel numerotel numérotéléphone numérodetéléphone numtéléphone telportable telfixe telmobile telbureau télportable numportable
		teléfono móvil celular numerotelefono numerodetelefono numtelefono numeromovil telefonomovil telefonofijo tfno nrotelefono`},
	{what: "a street address", names: `address addr street streetaddress streetname strasse strassenname adresse anschrift hausnummer housenumber streetno streetnumber houseno hausnr hsnr hnr aptno
		addressline adresszeile direccion calle indirizzo rue postaladdress homeaddress residentialaddress mailingaddress streetaddr addrline residence
		strnr strassenr strassehausnr strassehausnummer strhausnr wohnadresse wohnanschrift postanschrift zustelladresse adr adresszusatz stras
		adressepostale adressecomplète adresserue numerorue numérorue nomrue libellévoie nomvoie domicile lieurésidence
		dirección domicilio nombrecalle numerocasa direccionpostal residencia`},
	{what: "a date of birth", numbers: true, dates: true, names: `birthdate dateofbirth dob birthday birth birthdt geburtsdatum geburtstag gebdat datebirth fechanacimiento datenaissance
		bday birthyear yearofbirth yob dateofbrth brthdt birthdat bthdate birthplace placeofbirth
		gebdatum gebdt gebtag gebjahr geburtsdat geburtsjahr geboren geborenam geb gbdat geburtsort gebort
		datedenaissance datnaissance datenaiss dtnaissance dtnaiss datnaiss naissance annéenaissance lieunaissance lieudenaissance néle
		fechadenacimiento fecnacimiento fecnac fecnacim fechanac fnacimiento nacimiento añonacimiento lugarnacimiento cumpleaños`},
	{what: "a number of a person's papers", numbers: true, codes: true, names: `ssn socialsecurity socialsecuritynumber nationalid nationalidnumber nationalinsurance nationalinsurancenumber nino
		passport passportnumber passportno taxid taxnumber taxno taxidentification tin itin steuernummer steuerid steuernr steueridnr stid steueridentifikationsnummer
		sozialversicherungsnummer sozialversnr sozialversicherungsnr svnr svnummer rvnr rentenversicherungsnummer personalausweis personalausweisnummer personalausweisnr ausweisnummer ausweisnr ausweis reisepass reisepassnummer passnummer passnr
		driverlicense driverslicense driverlicence drivinglicence drivinglicense driverslicensenumber driverlicensenumber drivinglicencenumber führerschein führerscheinnummer führerscheinnr
		nhsnumber nhsno medicalrecordnumber mrn healthinsurancenumber krankenversichertennummer krankenversicherten versicherten versichertennummer versichertennr krankenversicherungsnummer krankenversnr krankenvers kvnr idcard idcardnumber identitycard
		licenseplate licenceplate numberplate kennzeichen kfzkennzeichen amtlicheskennzeichen plaqueimmatriculation immatriculation
		dni nif nie cpf curp cartevitale numcartevitale numérocartevitale rfc cedula pasaporte numeropasaporte numeropassaporte documentoidentidad numerodni seguridadsocial numeroseguridadsocial numseguridadsocial nss nuss
		sécuritésociale numérosécuritésociale numérodesécuritésociale numsécu numérosécu nosécu nir nss numss numéroinsee cni numérocni carteidentité cartedidentité passeport numéropasseport permisconduire numéropermis
		ahvnummer ahvnr avs numéroavs voterid voteridno numéroallocataire numeroafiliacion`},
	{what: "an account or card", numbers: true, names: `iban bankaccount bankaccountnumber bankaccountno accountnumber accountno kontonummer kontonr bankverbindung bankkonto routingnumber sortcode
		creditcard creditcardnumber creditcardno cardnumber cardno cardnum ccnumber ccnum ccno kreditkarte kreditkartennummer kreditkartennr kartennummer kartennr cvv cvc securitycode debitcard
		rib numérocompte numérocomptebancaire comptebancaire numérocarte numcarte cartebancaire cartecrédit cartedecrédit
		cuentabancaria numerocuenta numerocuentabancaria numcuenta ctabancaria tarjeta numerotarjeta numtarjeta tarjetacredito tarjetadecredito`},
	{what: "what somebody earns", numbers: true, names: `salary wage income annualincome monthlyincome householdincome personalincome basesalary annualsalary monthlysalary grosssalary netsalary basepay payrate hourlywage remuneration sal
		gehalt lohn grundgehalt bruttogehalt nettogehalt monatsgehalt jahresgehalt bruttolohn nettolohn stundenlohn monatslohn vergütung bezüge einkommen jahreseinkommen besoldung
		salaire salairebase salairebrut salairenet salaireannuel salairemensuel rémunération revenuannuel revenumensuel
		salario sueldo nómina salariobruto salarioneto salarioanual salariobase remuneración sueldobruto sueldobase ingresomensual creditscore lohnmon gehaltmon bonität bonitätsindex schufascore`},
	{what: "a matter of health", numbers: true, codes: true, names: `diagnosis diagnosiscode diagnosistext diagnose diagnosecode diagnosetext hauptdiagnose nebendiagnose diagnostic diagnóstico icd icdcode disease illness medication
		prescription allergy bloodtype bloodgroup disability symptom healthstatus medicalcondition medicalhistory hivstatus pregnancy
		krankheit medikament medikation befund anamnese allergie blutgruppe blutgr behinderung schwerbehinderung symptome gesundheitszustand krankheitsbild vorerkrankung schwangerschaft
		diagnosticmédical maladie médicament traitementmédical groupesanguin handicap symptôme antécédent étatsanté
		enfermedad medicación medicamento alergia gruposanguineo tiposangre discapacidad síntoma estadosalud antecedente`},
	{what: "a person's origin, faith or way of life", codes: true, names: `steuerklasse lohnsteuerklasse religionszugeh religion religiousaffiliation denomination race ethnicity ethnicgroup ethnic nationality citizenship maritalstatus civilstatus gender sexualorientation politicalparty unionmembership criminalrecord
		konfession religionszugehörigkeit ethnie nationalität staatsangehörigkeit staatsbürgerschaft familienstand geschlecht gewerkschaft vorstrafen sexuelleorientierung
		confessionreligieuse nationalité citoyenneté étatcivil situationfamiliale situationmatrimoniale sexe orientationsexuelle syndicat
		religión etnia nacionalidad ciudadanía estadocivil género sexo orientaciónsexual sindicato`},
	{what: "an address of a device", numbers: true, names: `ip ipaddress ipaddr ipv clientip remoteip sourceip srcip dstip remoteaddr userip ipadresse
		mac macaddress macaddr imei imsi idfa gaid deviceid advertisingid adresseip direccionip adressemac direccionmac macadresse`},
}

// neutral words stand behind a name and say nothing else of it.
var neutral = set(`number no nr num nummer value raw text txt str plain hash hashed md sha encrypted enc masked last line zeile old new current
	numero nro valeur valor wert feld field col home work private business billing shipping primary secondary main office mobile alt alternate other emergency default
	privat private geschäftlich dienstlich haupt firma aktuell neu alt
	fixe bureau domicile principal principale pro professionnel professionnelle personnel personnelle secondaire facturation livraison perso
	ligne línea linea annuelle annuel mensuel mensuelle anual mensual jährlich monatlich brut net bruto neto brutto netto base gross eur usd gbp chf
	casa trabajo personal fijo principal particular facturacion envio envío secundario
	de des du la el los del di le contacto usuel usage urgencia urgence notfall val lib libelle`)

// values say at the end of a name which sort of value it is, so that only subjects of
// such values are meant: login_dt is no name.
var values = []value{
	{set("dt dat ts tm date datum timestamp"), func(s *subject) bool { return s.dates }},
	{set("amt amount betrag betr montant mt importe imp"), func(s *subject) bool { return s.numbers }},
	{set("cd cod"), func(s *subject) bool { return s.codes }},
}

type value struct {
	words vocabulary
	fits  func(*subject) bool
}

// long are words that names of columns shorten.
var long = map[string]string{"acct": "account", "nm": "name", "ph": "phone", "seg": "seguridad", "secu": "securite", "soc": "sociale", "zugeh": "zugehoerigkeit"}

// people name tables of persons, and whose name it is where it stands before one.
var people = set(`person user employee staff contact patient student teacher guest passenger member subscriber applicant candidate driver agent
	mitarbeiter mitarbeiterin benutzer nutzer kontakt ansprechpartner personal schüler lehrer mitglied gast fahrer bewerber angestellter angestellte teilnehmer einwohner bürger mieter versicherter
	kunde kunden kundin patienten patientin student studierender personne salarié employé utilisateur adhérent membre élève étudiant professeur locataire assuré abonné conducteur
	persona empleado usuario paciente alumno estudiante profesor miembro socio conductor inquilino trabajador candidato pasajero invitado`)

// holders are persons in names such as customer_name, where a table of them may
// be one of firms.
var holders = set(`customer cust client kd knd kunde kunden kundin cliente cli clt buyer käufer acheteur comprador owner inhaber eigentümer propriétaire propietario besitzer titulaire titular holder tenant borrower debtor
	debitor schuldner débiteur deudor gläubiger créancier acreedor bürge arrendatario empfänger destinataire destinatario absender expéditeur remitente recipient sender arzt ärztin doctor physician médecin medico nurse manager supervisor vorgesetzter chef boss lead salesperson
	salesrep verkäufer vertreter vendeur vendedor seller autor author auteur child kind enfant hijo parent eltern father vater père padre mother mutter mère madre spouse ehepartner conjoint conyuge
	partnerin emp empl ma mitarb pat usr pers prs insured versicherungsnehmer insuredperson donor spender donateur donante resident bewohner prospect interessent requester anforderer reviewer approver
	attendee participant participante assignee fahrgast guardian beneficiary bénéficiaire beneficiario witness zeuge`)

// numbering is what turns a word into that of its number.
var numbering = set("nr no num nummer number")

// heads are what names of persons end with, where the word before says whose.
var heads = set("name nam nm namen nom nombre fullname bezeichnung")

// bare names are those of persons in a table of people alone.
var bare = set("name nom nombre fullname sal")

// glued are the names that are found at the end of a longer word too.
var glued = strings.Fields(`email phone password passwort telefon firstname lastname surname vorname nachname familienname geburtsdatum gebdatum gehalt
	diagnose iban hausnummer handynummer rufnummer telefonnummer kontonummer anschrift adresse strasse apellido telefono prenom contrasena salaire salary diagnostico`)

// vague names are telling unless the table is one of things, or, of what somebody
// earns, unless more words stand before them: net_income is a firm's.
var vague = set("nombre gender género sexe geschlecht cell handicap nationality nationalité income einkommen")

func (s *subject) elsewhere(words []string, i int, table []string) bool {
	switch {
	case i > 0 && placeless.has(words[i-1]):
		return s.what == "a street address"
	case len(words)-i > 1 || !vague.has(words[i]):
		return false
	}
	return len(table) > 0 && things.has(table[len(table)-1]) || s.numbers && i > 0
}

// placeless are words before an address that is none of persons.
var placeless = set("ip mac web url internet speicher memory server host network netzwerk")

// byName finds the subject of a joined name, in all the ways that it is spelled.
var byName = sync.OnceValue(func() map[string]*subject {
	names := map[string]*subject{}
	for i := range subjects {
		for name := range strings.FieldsSeq(subjects[i].names) {
			for _, key := range spellings(name) {
				if names[key] == nil {
					names[key] = &subjects[i]
				}
			}
		}
	}
	return names
})

var digraphs = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")

// spellings returns how the analyzer folds a word, with ä as a and as ae.
func spellings(word string) []string {
	keys := []string{text.Key(word)}
	if wide := digraphs.Replace(word); wide != word {
		keys = append(keys, text.Key(wide))
	}
	return keys
}

// vocabulary is a set of words that is folded when it is first asked.
type vocabulary func() map[string]bool

func (v vocabulary) has(word string) bool { return v()[word] }

func set(words string) vocabulary {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			for _, key := range spellings(w) {
				all[key] = true
			}
		}
		return all
	})
}

// named returns what a column holds by its name, as it is or with its words written
// out, "" when nothing personal.
func named(column, table []string, typ sdk.Type) string {
	what := plainly(column, table, typ)
	if what != "" || !slices.ContainsFunc(column, func(w string) bool { return long[w] != "" }) {
		return what
	}
	whole := slices.Clone(column)
	for i, w := range whole {
		whole[i] = cmp.Or(long[w], w)
	}
	return plainly(whole, table, typ)
}

func plainly(column, table []string, typ sdk.Type) string {
	valued := func(*subject) bool { return true } // the subjects that the words behind leave
	for words := parts(column); len(words) > 0; words = words[:len(words)-1] {
		for i := range words {
			s := byName()[strings.Join(words[i:], "")]
			if s != nil && s.fits(typ) && valued(s) && !s.elsewhere(words, i, table) {
				return s.what
			}
		}
		last := words[len(words)-1]
		for _, name := range glued {
			if s := byName()[name]; strings.HasSuffix(last, name) && !placeless.has(strings.TrimSuffix(last, name)) && s.fits(typ) && valued(s) {
				return s.what
			}
		}
		if n := len(words); n > 1 && heads.has(last) && (people.has(words[n-2]) || holders.has(words[n-2])) && textual(typ) {
			return "a name of a person"
		}
		if n := len(words); n > 1 && heads.has(words[n-2]) && (people.has(last) || holders.has(last)) && textual(typ) { // nom_client
			return "a name of a person"
		}
		if i := slices.IndexFunc(values, func(v value) bool { return v.words.has(last) }); i >= 0 {
			valued = values[i].fits
			continue
		}
		if !neutral.has(last) && !people.has(last) && !holders.has(last) {
			break
		}
	}
	if len(column) == 1 && bare.has(column[0]) && len(table) > 0 && people.has(table[len(table)-1]) && textual(typ) {
		return "a name of a person"
	}
	return ""
}

// parts takes words apart that are written as one, kundenname, privatadresse,
// and leaves numbers out.
func parts(column []string) (all []string) {
	for _, w := range column {
		if digits(w) {
			continue
		}
		if head, tail := split(w); head != "" {
			all = append(all, head, tail)
		} else {
			all = append(all, w)
		}
	}
	return all
}

func split(word string) (head, tail string) {
	const least = 3
	if len(word) < 2*least || byName()[word] != nil {
		return "", ""
	}
	for i := least; i <= len(word)-2; i++ {
		head, tail = word[:i], word[i:]
		if numbering.has(tail) && byName()[head] != nil {
			return head, tail
		}
		if len(tail) < least {
			break
		}
		if whose(head) && (heads.has(tail) || byName()[tail] != nil) || neutral.has(head) && byName()[tail] != nil {
			return head, tail
		}
	}
	return "", ""
}

// whose reports whether a word names persons, with or without what joins German
// words.
func whose(word string) bool {
	for _, w := range []string{word, strings.TrimSuffix(word, "s"), strings.TrimSuffix(word, "n"), strings.TrimSuffix(word, "en")} {
		if people.has(w) || holders.has(w) {
			return true
		}
	}
	return false
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

// codes are the last words of columns whose codes are no secret: what refers to
// something, or tells two versions apart.
var codes = set(`id key sk pk fk oid uuid guid hash checksum digest etag md5 md sha fingerprint code sku slug url uri path file image version commit revision
	nummer nr no number schlüssel referenz reference ref artikelnummer belegnummer belegnr numéro clave codigo código referencia`)

// coded reports whether a column is called like one of references or codes.
func coded(words []string) bool {
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	if digits(last) && len(words) > 1 {
		last = words[len(words)-2]
	}
	return codes.has(last)
}
