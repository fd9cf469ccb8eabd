SELECT data FROM sqlite_dbpage
