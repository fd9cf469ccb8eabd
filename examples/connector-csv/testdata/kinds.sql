SELECT whole, part, zip, large, empty, "a ""name""" FROM kinds ORDER BY rowid
