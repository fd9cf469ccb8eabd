//go:build cgo

package sqlserver

// zones are the time zones that the fixture has: Windows' names as SQL Server
// takes them, with a zone of the IANA database for each.
// Source: Unicode CLDR, windowsZones, territory 001.
var zones = map[string]string{
	"UTC": "UTC", "GMT Standard Time": "Europe/London", "Greenwich Standard Time": "Atlantic/Reykjavik",
	"W. Europe Standard Time": "Europe/Berlin", "Central Europe Standard Time": "Europe/Budapest", "Romance Standard Time": "Europe/Paris",
	"Central European Standard Time": "Europe/Warsaw", "GTB Standard Time": "Europe/Bucharest", "FLE Standard Time": "Europe/Kiev",
	"E. Europe Standard Time": "Europe/Chisinau", "Turkey Standard Time": "Europe/Istanbul", "Russian Standard Time": "Europe/Moscow",
	"Egypt Standard Time": "Africa/Cairo", "South Africa Standard Time": "Africa/Johannesburg", "Israel Standard Time": "Asia/Jerusalem",
	"Arabian Standard Time": "Asia/Dubai", "Iran Standard Time": "Asia/Tehran", "Pakistan Standard Time": "Asia/Karachi",
	"India Standard Time": "Asia/Calcutta", "Nepal Standard Time": "Asia/Katmandu", "SE Asia Standard Time": "Asia/Bangkok",
	"China Standard Time": "Asia/Shanghai", "Singapore Standard Time": "Asia/Singapore", "Tokyo Standard Time": "Asia/Tokyo",
	"Korea Standard Time": "Asia/Seoul", "AUS Eastern Standard Time": "Australia/Sydney", "AUS Central Standard Time": "Australia/Darwin",
	"W. Australia Standard Time": "Australia/Perth", "New Zealand Standard Time": "Pacific/Auckland", "Hawaiian Standard Time": "Pacific/Honolulu",
	"Alaskan Standard Time": "America/Anchorage", "Pacific Standard Time": "America/Los_Angeles", "US Mountain Standard Time": "America/Phoenix",
	"Mountain Standard Time": "America/Denver", "Central Standard Time": "America/Chicago", "Eastern Standard Time": "America/New_York",
	"Atlantic Standard Time": "America/Halifax", "Newfoundland Standard Time": "America/St_Johns", "E. South America Standard Time": "America/Sao_Paulo",
	"Argentina Standard Time": "America/Buenos_Aires", "SA Pacific Standard Time": "America/Bogota", "Central Standard Time (Mexico)": "America/Mexico_City",
}
