package relationship

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// keyWords end the names of columns that refer to something. Those that are
// glued to the word before ("custkey") are marked true.
var keyWords = map[string]bool{
	"id": true, "key": true, "code": true, "uuid": true, "guid": true, "num": true,
	"no": false, "nr": false, "number": false, "cd": false, "sk": false, "fk": false, "pk": false, "ref": false, "oid": false, "nbr": false,
	"uid": false, "hk": false, "hkey": false, "hash": false, "identifier": false,
	"numero": false, "nro": false, "codigo": false, "cod": false, "clave": false, "cle": false,
}

// leadingKeys are the key words that other languages put first: cod_cliente.
var leadingKeys = text.Words("fk id cod codigo num numero nro no cle clave ref")

// counters begin the names of columns that count what follows: num_employees.
var counters = text.Words("num no nb nbr nro numero number n count total")

// measures end the names of columns that count or measure: their small numbers
// are among any key's.
var measures = text.Words("count cnt qty quantity amount amt price total sum avg average min max year month day week hour minute second size rank level percent pct rate ratio score age position pos sort sequence seq weight height width length duration version cost discount tax balance stock unit flag status date time priority line")

// before end the names of what was counted at another time: orders_prev.
var before = text.Words("prev previous last current curr next diff delta")

// ordinals end the names of columns that may number what is within something.
var ordinals = text.Words("no nr num number nbr seq")

// plain are names that many tables have a column of, which says nothing.
var plain = text.Words("name title label description text comment note status state type kind code email mail phone url country city language currency")

// spoken are names of what is written for people to read: equal values of two such
// columns do not make one refer to the other.
var spoken = text.Words("name title label description text comment note email mail phone fax url path file address street city subject message body value checksum version")

// copyWords are in the names of tables that hold what others held before.
var copyWords = text.Words("archive archived backup bak old copy tmp temp hist history snapshot deprecated staging stage stg")

// selfWords are what columns are called that refer to their own table.
var selfWords = text.Words("parent manager mgr supervisor boss superior report replie reply previous prev next predecessor successor original root leader duplicate replace replaced supersede superseded merged padre madre pere mere superieur jefe chef vorgaenger nachfolger vorgesetzter eltern sponsor referrer mentor coach reversed returned refunded amended corrected renewed backorder")

// noise begins the names of tables and says nothing of what is in them.
var noise = text.Words("tbl t dim fact fct stg staging raw src vw v hub sat lnk")

// padding ends the names of tables and says nothing of what is in them.
var padding = text.Words("entity entitie table tbl master mst mstr header hdr base data dim")

// vague are words that many tables are called by: which one is meant only the
// module says that column and table are of.
var vague = text.Words("type status state group category line item level class kind template stage tag detail value option attribute rate step method role link log history entry rule code value")

// details end the names of tables that say more of the rows of another one, and begin
// those of a vault's.
var details = text.Words("detail detalle info extra ext extension attribute attr stat statistic profile setting preference summary meta metadata config sat satellite")

// glued are the words that a name may end with that is written as one: postmeta.
var glued = strings.Fields("details detail history lines line items item links link meta logs log values value")

// generic are what columns are called that refer to what their table belongs to.
var generic = text.Words("entity object parent header head master main base root document doc record owner item source target src dst dest destination from to sink origin child predecessor successor left right original linked related")

// common are what the keys of many tables are called, besides generic ones.
var common = text.Words("value row line")

// persons are what tables of persons are called, users those of who works with a
// program.
var (
	users   = text.Words("user benutzer nutzer anwender utilisateur usuario login")
	persons = text.Words("user benutzer nutzer anwender utilisateur usuario employee emp staff person worker personnel mitarbeiter employe empleado personne persona member agent operator")
)

// roles are what persons are called for what they do with a row.
var roles = text.Words(`owner author creator editor assignee reporter reviewer approver manager mgr supervisor boss leader responsible
	agent rep representative salesperson seller operator sender recipient handler requester requestor submitter uploader modifier updater
	moderator admin inspector auditor signer closer resolver assigner coordinator planner dispatcher technician instructor
	ersteller bearbeiter verantwortlicher sachbearbeiter besitzer betreuer leiter vorgesetzter pruefer
	auteur createur gestionnaire vendeur superviseur chef conseiller responsable valideur
	autor creador gerente vendedor jefe supervisor encargado asesor`)

// by ends the names of columns that say who did something: approved_by.
var by = text.Words("by par por von durch")

// purposes end the names of columns that begin with what they refer to, as those of
// other languages do: partner_shipping_id.
var purposes = text.Words("invoice shipping billing delivery payment mailing default primary main secondary home work origin destination source target sender receiver envio facturacion entrega livraison facturation principal")

// lookups are measures that a table of the same name may list.
var lookups = text.Words("status priority unit")

// sides are what a column name may end with that has one reference among several of
// a kind: account_id_to.
var sides = text.Words("from to old new source target src dst dest orig origin current previous first second primary secondary")
