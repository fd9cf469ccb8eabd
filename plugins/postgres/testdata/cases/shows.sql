SHOW TimeZone
